# What the program needs from the system; sourced by ./run, ./test and the recipes in jobs/.
packages="pkg-config libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libclang-dev hdf5-tools"

# Installs the packages that are missing, with sudo unless root; elsewhere than on Debian or Ubuntu it lists them.
install_packages() {
  if ! command -v cargo > /dev/null; then
    echo "nscdd needs a Rust toolchain (1.90 or newer): https://rustup.rs" >&2
    exit 1
  fi
  if pkg-config --exists hdf5 2> /dev/null && command -v mpicc > /dev/null; then return; fi
  if ! command -v apt-get > /dev/null; then
    echo "nscdd needs: a C compiler, pkg-config, Open MPI and HDF5 built for it (with headers), libclang." >&2
    echo "On Debian and Ubuntu these are: $packages" >&2
    echo "On Fedora: gcc pkgconf openmpi-devel hdf5-openmpi-devel clang-devel; on Arch: base-devel openmpi hdf5-openmpi clang" >&2
    exit 1
  fi
  local as_root=""
  if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
  echo "installing: $packages"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086  # a list of packages
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends build-essential $packages > /dev/null
}
