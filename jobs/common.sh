# Functions shared by the jobs: find and start the program, run a scene to completion. Each job sources this file after
# environment.sh; the file itself starts nothing.
# shellcheck shell=bash disable=SC2154  # variables of environment.sh

# Id of this job. A task of an array is identified by the array id and its task id: the plain job id of one of the tasks
# denotes the whole array.
me=$SLURM_JOB_ID
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then me=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
threads=${SLURM_CPUS_PER_TASK:-1}
nodes=${SLURM_JOB_NUM_NODES:-1}
processes=${SLURM_NTASKS:-$((${SLURM_NTASKS_PER_NODE:-1} * nodes))}
limit_is_near=
is_cancelled=
has_signal=
child=

say() { printf '%s job %s: %s\n' "$(date '+%F %T')" "$me" "$*"; }
give_up() { say "$*" >&2; exit 2; }

# On USR1 the program writes a checkpoint and ends. mpirun and srun forward this signal; TERM would end mpirun immediately.
pass_on() {
  has_signal=yes
  if [ -n "$child" ]; then kill -USR1 "$child" 2> /dev/null || true; fi
}
trap 'limit_is_near=yes; pass_on' USR1
trap 'is_cancelled=yes; pass_on' INT
# SLURM sends TERM to all processes of a job; a second signal would end the program immediately.
trap 'is_cancelled=yes; has_signal=yes' TERM

# Sets the array `program`: the program, preceded by its container command if there is one.
find_program() {
  if [ -n "$NSCDD_CONTAINER" ]; then
    program=(apptainer exec "$NSCDD_CONTAINER" nscdd)
  elif [ -n "$NSCDD" ]; then
    program=("$NSCDD")
  elif [ -x "$home/target/release/nscdd" ]; then
    program=("$home/target/release/nscdd")
  else
    program=(nscdd)
  fi
  command -v "${program[0]}" > /dev/null || give_up "there is no ${program[0]}: build it (cargo build --release), or set NSCDD"
}

# Sets the array `line`: the command that starts the program on $1 processes and $2 nodes with the remaining arguments.
compose() {
  local count=$1 on=$2; shift 2
  if [ "$launcher" = srun ]; then
    # srun does not inherit --cpus-per-task from sbatch. If a process ends, the others are killed only after a delay: all
    # of them may be about to end with the same code.
    # shellcheck disable=SC2206  # options
    line=(srun $NSCDD_SRUN_OPTIONS --nodes="$on" --ntasks="$count" --cpus-per-task="$threads" --kill-on-bad-exit=0 --wait=60)
  else
    # shellcheck disable=SC2206  # options
    line=(mpirun $NSCDD_MPIRUN_OPTIONS --oversubscribe --map-by "slot:PE=$threads" -n "$count")
  fi
  line+=("${program[@]}" "$@")
}

# Runs the command in `line`, waits for it and returns its exit code.
start() {
  local code
  if [ -n "$limit_is_near$is_cancelled" ]; then return 75; fi
  "${line[@]}" &
  child=$!
  if [ -n "$limit_is_near" ]; then pass_on; fi
  # A signal interrupts `wait`, not the child: repeat until no signal has arrived during the wait.
  while true; do
    has_signal=
    code=0; wait "$child" || code=$?
    if [ -z "$has_signal" ]; then break; fi
  done
  child=
  return "$code"
}

# Sets `launcher` for $1 processes. Folder $2, which must be visible to all nodes, is used for the test run.
choose_launcher() {
  case $NSCDD_LAUNCHER in
    srun) launcher=srun ;;
    mpirun) launcher=mpirun ;;
    auto) try_srun "$@" ;;
    *) give_up "NSCDD_LAUNCHER is $NSCDD_LAUNCHER: it must be srun, mpirun or auto" ;;
  esac
  say "$1 processes of $threads threads on $nodes nodes, by $launcher"
}

# If srun and MPI have no common PMI, each process starts as the only rank: one step of a small scene shows the number
# of ranks.
try_srun() {
  local count=$1 folder=$2
  launcher=srun
  rm -rf "$folder"; mkdir -p "$folder"
  compose "$count" "$nodes" -q run "$home/scenes/bounce.toml" --set time.end=1e-4 --threads 1 --out "$folder/run"
  if ! start > "$folder/log" 2>&1 || [ "$(figure ranks "$folder/run/summary.json")" != "$count" ]; then
    if [ -n "$limit_is_near$is_cancelled" ]; then
      :
    elif command -v mpirun > /dev/null; then
      launcher=mpirun
    else
      cat "$folder/log" >&2
      give_up "srun does not start nscdd on $count processes, and there is no mpirun"
    fi
  fi
  rm -rf "$folder"
}

# Prints the value of key $1 in the summary.json $2, or nothing if there is none.
figure() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" 2> /dev/null | head -n 1; }

# Prints the newest state in folder $1, or nothing. The names of checkpoints sort by step.
newest() {
  local file found=
  for file in "$1"/final.h5 "$1"/checkpoints/step-*.h5; do
    if [ -e "$file" ]; then found=$file; fi
  done
  printf %s "$found"
}

# Whether the run in folder $1 has reached its end time: that of its scene, or the one given by the remaining arguments. A
# run ended by [[stop]] is left to the program.
is_finished() {
  local folder=$1 end argument; shift
  if [ ! -e "$folder/final.h5" ] || [ "$(figure ending "$folder/summary.json")" != finished ]; then return 1; fi
  end=$(sed -n '/^ *\[time\]/,/^ *\[[a-z]*\]/s/^ *end *= *\([^ #]*\).*/\1/p' "$folder/scene.toml" | head -n 1)
  for argument in "$@"; do
    case $argument in time.end=* | --set=time.end=*) end=${argument##*=} ;; esac
  done
  awk -v is="$(figure simulated_s "$folder/summary.json")" -v to="${end:-0}" 'BEGIN { exit !(is + 0 >= to * (1 - 1e-9)) }'
}

# Reserves folder $1 for this job: two jobs in one folder would corrupt each other's files. Its file `job` holds the job id,
# a checksum of the scene and the options of the run.
take() {
  mkdir -p "$1" || give_up "cannot make $1"
  local holder
  holder=$(noted 1 "$1")
  if [ -n "$holder" ] && [ "$holder" != "$me" ] && squeue --noheader --jobs="$holder" 2> /dev/null | grep -q .; then
    give_up "job $holder is at work on $1: wait for it, cancel it, or give --out"
  fi
  printf '%s\n%s\n%s\n' "$me" "$2" "$3" > "$1/job"
}
noted() { sed -n "$1p" "$2/job" 2> /dev/null || true; }

# Prints the options that define a run, in one line: all except its end time.
options() {
  local argument text='' pending=''
  for argument in "$@"; do
    case $argument in
      --set) pending=yes; continue ;;
      time.end=* | --set=time.end=*) ;;
      *) text+=$(printf ' %s%q' "${pending:+--set }" "$argument") ;;
    esac
    pending=
  done
  printf %s "$text"
}

# Runs scene $1 into a folder, out/NAME or that of --out, with $2 appended, or resumes the run in that folder; near the time
# limit the job is requeued. The remaining arguments are passed to nscdd. Does not return.
simulate() {
  local scene=$1 within=$2 folder before code=0 overwrite='' stop_after=''; shift 2
  folder=out/$(basename "$scene" .toml)$within
  local arguments=()
  while [ $# -gt 0 ]; do
    case $1 in
      --out) folder=${2:?--out needs a folder}$within; shift ;;
      --out=*) folder=${1#--out=}$within ;;
      --overwrite) overwrite=yes ;;
      --stop-after | --stop-after=*) stop_after=yes; arguments+=("$1") ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  # Only the first allocation may overwrite an earlier run.
  if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then overwrite=; fi
  [ -r "$scene" ] || give_up "there is no scene $scene (in $PWD)"
  local sum made_by earlier
  sum=$(cksum < "$scene")
  made_by=$(options "${arguments[@]}")
  before=$(newest "$folder")
  if [ -n "$overwrite" ]; then before=; fi
  if [ -n "$before" ] && [ -e "$folder/job" ] && [ "$(noted 1 "$folder")" != "$me" ] && [ "$(noted 2 "$folder")" != "$sum" ]; then
    give_up "$scene has changed since the run in $folder began: give another --out, or --overwrite to start anew"
  fi
  if [ -n "$before" ] && is_finished "$folder" "${arguments[@]}"; then
    earlier=$(noted 3 "$folder")
    if [ -e "$folder/job" ] && [ "$earlier" != "$made_by" ]; then
      give_up "$folder is finished, but with other options (${earlier:-none}): give another --out, or --overwrite to start anew"
    fi
    say "$folder is finished already; --set time.end=... goes on beyond its end, --overwrite starts anew"
    exit 0
  fi
  take "$folder" "$sum" "$made_by"
  find_program
  choose_launcher "$processes" "$folder/launcher"
  if [ -n "$before" ]; then
    say "going on with $folder"
    compose "$processes" "$nodes" resume "$folder" --threads "$threads" "${arguments[@]}"
  else
    # The output of an earlier allocation without any checkpoint cannot be resumed.
    say "starting $scene into $folder"
    compose "$processes" "$nodes" run "$scene" --out "$folder" --overwrite --threads "$threads" "${arguments[@]}"
  fi
  start || code=$?
  if [ "$code" -eq 0 ]; then
    say "finished: $folder"
    exit 0
  fi
  local after
  after=$(newest "$folder")
  if [ -n "$is_cancelled" ] || { [ "$code" -eq 75 ] && [ -n "$stop_after" ]; }; then
    say "stopped with code $code, newest state: ${after:-none}; submit the same job again to go on" >&2
    exit "$code"
  fi
  # A signal before the program has installed its handler kills it without a checkpoint: the next check ends the job.
  if [ "$code" -ne 75 ] && [ -z "$limit_is_near" ]; then
    say "failed with code $code (nscdd --help tells codes apart); not put into the queue again" >&2
    exit "$code"
  fi
  if [ "$after" = "$before" ]; then
    say "no new checkpoint in this allocation (code $code), more of them would not help: ask for more --time" >&2
    exit 1
  fi
  say "stopped at ${after##*/}; back into the queue"
  # Incomplete: a job that is being cancelled stays cancelled.
  if ! scontrol requeue Incomplete "$me"; then
    say "could not be put into the queue again; submit the same job to go on" >&2
  fi
  exit 75
}

# For scaling: numbers of processes, doubling from one up to all cores; NSCDD_RANKS="1 3 9" sets others.
rank_counts() {
  local most=$((${SLURM_CPUS_ON_NODE:-1} * nodes / threads)) count=1
  if [ -n "${NSCDD_RANKS:-}" ]; then tr -s ' ,' '\n' <<< "$NSCDD_RANKS"; return; fi
  while [ "$count" -lt "$most" ]; do echo "$count"; count=$((2 * count)); done
  echo "$count"
}

# For scaling: runs the program on $1 processes into folder $2 and appends a line to table $3; scene and arguments follow.
measure() {
  local count=$1 folder=$2 table=$3 each on key row code=0; shift 3
  local phases="rearrange predict detect assemble solve remember separate update output"
  each=$((${SLURM_CPUS_ON_NODE:-1} / threads))
  on=$(((count + each - 1) / each))
  if [ "$on" -gt "$nodes" ]; then on=$nodes; fi
  compose "$count" "$on" -q run "$@" --out "$folder" --threads "$threads"
  start || code=$?
  if [ "$code" -ne 0 ]; then say "$count processes: failed with code $code" >&2; return 1; fi
  if [ "$(figure ranks "$folder/summary.json")" != "$count" ]; then
    say "$count processes did not find each other" >&2
    return 1
  fi
  if [ ! -e "$table" ]; then
    row=ranks,threads,nodes,bodies,subdomains,steps,sweeps,contact_updates,wall_s
    for key in $phases; do row+=,${key}_s; done
    echo "$row" > "$table"
  fi
  row=$count,$threads,$on
  for key in bodies subdomains steps sweeps contact_updates wall_s $phases; do row+=,$(figure "$key" "$folder/summary.json"); done
  echo "$row" >> "$table"
  say "$count processes: $(figure wall_s "$folder/summary.json") s"
}
