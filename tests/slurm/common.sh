# Shared by tests/slurm/run and tests/slurm/nodes, which source it: messages, waiting, a private SLURM in the folder $work.
# shellcheck shell=bash

begin=$SECONDS
# Daemons that were started, in order.
pids=()

skip() { echo "skipped: $*"; exit 0; }
fail() { echo "FAILED: $*" >&2; exit 1; }
note() { printf '%3d s  %s\n' $((SECONDS - begin)) "$*"; }

# Waits until a command succeeds, for at most so many seconds.
await() {
  local until=$((SECONDS + $1)) what=$2; shift 2
  until "$@"; do
    if [ "$SECONDS" -ge "$until" ]; then fail "timed out: $what"; fi
    sleep 0.2
  done
}

# Finds the program, or builds it; creates the folder.
prepare() {
  program=${CARGO_TARGET_DIR:-$home/target}/release/nscdd
  if [ ! -x "$program" ]; then cargo build --release --quiet --manifest-path "$home/Cargo.toml"; fi
  work=$(mktemp -d "${TMPDIR:-/tmp}/nscdd-slurm.XXXXXX")
}

# What went wrong, if the code is not zero.
print_logs() {
  local log
  [ "$1" -ne 0 ] || return 0
  for log in "$work"/*.log "$work"/logs/*; do
    [ -s "$log" ] && printf '\n-- %s\n' "$log" >&2 && tail -n 40 "$log" >&2
  done
  printf '\nfailed after %s s\n' $((SECONDS - begin)) >&2
}

# Ends all jobs; the arguments are a prefix of the commands of SLURM.
end_jobs() {
  "$@" scancel --user=root 2> /dev/null
  for _ in $(seq 50); do [ -z "$("$@" squeue --noheader 2> /dev/null)" ] && break; sleep 0.2; done
}

end_daemons() {
  local pid
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2> /dev/null; done
  for pid in "${pids[@]}"; do wait "$pid" 2> /dev/null; done
}

# Keys, folders and the configuration; what depends on the nodes is read from the standard input.
configure() {
  # Munge wants folders that others cannot write to, and a socket that everybody reaches.
  chmod 755 "$work"
  mkdir "$work/munge" "$work/state" "$work/spool" "$work/logs"
  head -c 64 /dev/urandom > "$work/munge/key"
  chmod 600 "$work/munge/key"
  chown -R munge "$work/munge"
  # A job that goes back into the queue waits for cred_expire before it starts again.
  cat > "$work/slurm.conf" <<EOF
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/logs/slurmctld
SlurmdLogFile=$work/logs/slurmd-%n
JobRequeue=1
KillWait=5
MinJobAge=600
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
EOF
  cat >> "$work/slurm.conf"
  # More processes than cores must not spin.
  export SLURM_CONF=$work/slurm.conf NSCDD_HOME=$home NSCDD=$program
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
}

start_munge() {
  setpriv --reuid=munge --regid=munge --clear-groups munged --force --foreground --socket="$work/munge/socket" \
    --key-file="$work/munge/key" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" > "$work/logs/munged" 2>&1 &
  pids+=($!)
  await 20 "munge" test -S "$work/munge/socket"
}
