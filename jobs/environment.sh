# shellcheck shell=bash
# Site configuration of a cluster; every job sources it first.
# Where MPI and HDF5 are installed system-wide this file works as it is. Otherwise edit it, or set the same variables before
# sbatch: variables that are already set are kept.

# Modules with the compiler, MPI and HDF5 that nscdd was built with, in load order, for example
# "gcc/13 openmpi/4.1 hdf5/1.14-mpi". Empty: no modules.
: "${NSCDD_MODULES:=}"

# The program. Empty: target/release/nscdd in the folder of nscdd, otherwise nscdd on the PATH.
: "${NSCDD:=}"

# An Apptainer image to run it from (jobs/nscdd.def). Empty: none. The MPI of the host must be able to start that of the
# image: the same major version of Open MPI.
: "${NSCDD_CONTAINER:=}"

# Launcher of the processes: srun, mpirun or auto. auto tests srun with PMIx in a short run and uses mpirun if the
# processes do not connect.
: "${NSCDD_LAUNCHER:=auto}"

# Options of the two launchers. Binding is the important one: it pins a process to its cores.
: "${NSCDD_SRUN_OPTIONS:=--mpi=pmix --cpu-bind=cores}"
: "${NSCDD_MPIRUN_OPTIONS:=--bind-to core:overload-allowed}"

if [ -n "$NSCDD_MODULES" ]; then
  # A batch shell is not a login shell: `module` may have to be defined first.
  if ! type module > /dev/null 2>&1; then
    for file in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh /usr/share/lmod/lmod/init/bash; do
      # shellcheck disable=SC1090  # site-specific file
      if [ -r "$file" ]; then . "$file"; break; fi
    done
  fi
  module purge
  # shellcheck disable=SC2086  # a list of modules
  module load $NSCDD_MODULES
fi

# mpirun notices within half a minute that a node does not answer any more.
export OMPI_MCA_oob_tcp_keepalive_time="${OMPI_MCA_oob_tcp_keepalive_time:-10}"
export OMPI_MCA_oob_tcp_keepalive_intvl="${OMPI_MCA_oob_tcp_keepalive_intvl:-5}"
export OMPI_MCA_oob_tcp_keepalive_probes="${OMPI_MCA_oob_tcp_keepalive_probes:-3}"

# Only nscdd creates threads.
export OMP_NUM_THREADS=1
