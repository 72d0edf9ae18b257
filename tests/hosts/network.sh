# Hosts made of namespaces of this machine, joined by a switch; sourced by the tests that need several. The caller sets
# `work`, a folder, and calls `stop_hosts` when it ends.
# shellcheck shell=bash

declare -A holder

# Says why a test cannot be made here, or nothing.
missing_for_hosts() {
  [ "$(id -u)" -eq 0 ] || { echo "namespaces need root"; return; }
  if ! command -v ip > /dev/null && command -v apt-get > /dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends iproute2; } \
      > /dev/null 2>&1 || true
  fi
  local tool
  for tool in ip unshare nsenter mpirun; do
    command -v $tool > /dev/null || { echo "there is no $tool"; return; }
  done
  unshare --net --uts --ipc --pid --fork --kill-child true 2> /dev/null || echo "this system makes no namespaces"
}

# Starts a host with this name. Its first process writes its number, as this machine counts, and sleeps. $2: "shared" if
# the host shares the numbers of processes with this machine.
start_host() {
  local own=(--pid --fork --kill-child)
  if [ "${2:-}" = shared ]; then own=(--mount --fork --kill-child); fi
  unshare --net --uts --ipc "${own[@]}" sh -c "hostname $1; exec sleep 86400" 2> /dev/null &
  local outer=$!
  await 10 "$1 starts" pgrep -P "$outer" > /dev/null
  holder[$1]=$(pgrep -P "$outer")
  await 10 "$1 has its name" sh -c "[ \"\$(nsenter -t ${holder[$1]} --uts hostname)\" = $1 ]"
  echo "${holder[$1]}" > "$work/$1.pid"
  disown "$outer"
}

# Runs a command in the network of a host.
inside() { local host=$1; shift; nsenter -t "${holder[$host]}" --net --uts --ipc "$@"; }

# Starts `login`, which has the switch and the address 10.77.0.100, and the other hosts, with 10.77.0.1 and so on.
start_network() {
  local kind=$1 number=0 host; shift
  start_host login "$kind"
  inside login ip link add switch type bridge
  inside login ip addr add 10.77.0.100/24 dev switch
  inside login ip link set switch up
  inside login ip link set lo up
  for host in "$@"; do
    number=$((number + 1))
    start_host "$host" "$kind"
    inside login ip link add "to-$host" type veth peer name eth0 netns "${holder[$host]}"
    inside login ip link set "to-$host" master switch up
    inside "$host" ip addr add "10.77.0.$number/24" dev eth0
    inside "$host" ip link set eth0 up
    inside "$host" ip link set lo up
  done
}

# Ends all hosts; with its first process, all processes of a host end that has its own numbers.
stop_hosts() {
  local pid
  for pid in "${holder[@]}"; do kill -9 "$pid" 2> /dev/null; done
}
