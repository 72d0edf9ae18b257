# shellcheck shell=bash
# What a cluster must say about itself; sourced by every job before anything else.
# Where MPI and HDF5 are installed for everyone this file works as it is. A site edits it, or sets the same variables
# before sbatch: what is set already is kept.

# Modules with the compiler, MPI and HDF5 that nscdd was built with, in the order to load them, for example
# "gcc/13 openmpi/4.1 hdf5/1.14-mpi". Empty: no modules.
: "${NSCDD_MODULES:=}"

# The program. Empty: target/release/nscdd in the folder of nscdd, or else what is on the PATH.
: "${NSCDD:=}"

# An Apptainer image to run it from (jobs/nscdd.def). Empty: none. The MPI outside must be able to start the one inside:
# the same major version of Open MPI.
: "${NSCDD_CONTAINER:=}"

# What starts the processes: srun, mpirun or auto. auto tries srun with PMIx for a moment and takes mpirun if the
# processes do not find each other.
: "${NSCDD_LAUNCHER:=auto}"

# Options for either. Binding is the important one: a process keeps its cores.
: "${NSCDD_SRUN_OPTIONS:=--mpi=pmix --cpu-bind=cores}"
: "${NSCDD_MPIRUN_OPTIONS:=--bind-to core:overload-allowed}"

if [ -n "$NSCDD_MODULES" ]; then
  # A batch shell is no login shell: `module` may have to be made known first.
  if ! type module > /dev/null 2>&1; then
    for file in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh /usr/share/lmod/lmod/init/bash; do
      # shellcheck disable=SC1090  # a file of the site
      if [ -r "$file" ]; then . "$file"; break; fi
    done
  fi
  module purge
  # shellcheck disable=SC2086  # a list of modules
  module load $NSCDD_MODULES
fi

# Threads belong to nscdd alone.
export OMP_NUM_THREADS=1
