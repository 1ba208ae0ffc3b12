#!/bin/bash
# An evaluation, or a training, on a cluster that Slurm looks after. NOT RUN HERE: no Slurm was at
# hand; `ray symmetric-run` itself was run on one node. From the checkout, which all nodes see:
#   sbatch examples/cluster/slurm.sh
#   sbatch examples/cluster/slurm.sh -m examples.rllib_ppo --ray auto --env-runners 30
#SBATCH --job-name=solitaire
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
source .venv-ray/bin/activate  # `make .venv-ray/.stamp` builds it
export OMP_NUM_THREADS=1 RAY_USAGE_STATS_ENABLED=0

if [ $# -eq 0 ]; then
    set -- -m agents.evaluate --ray auto --agent ppo-search --variant san-juan-hill --deals test \
        --shards runs/san-juan-hill-shards --shard-deals 5 --json runs/san-juan-hill.json
fi
# Starts Ray on every node, the command on the first one only, and stops Ray when it is over.
# Submitted again after the time was up, it goes on with the shards that are finished.
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun ray symmetric-run --address "$head:6379" --min-nodes "$SLURM_NNODES" \
    --num-cpus="$SLURM_CPUS_PER_TASK" -- python "$@"
