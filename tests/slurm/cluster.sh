#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine, for tests. The nodes n1 and n2 have one processor each, all daemons run as
# the caller, and all files are in the folder DIR.
#
#   cluster.sh start DIR PORT PORT PORT    starts it on three free ports: the controller's, n1's, n2's
#   cluster.sh crash DIR NODE              kills the node's daemon and all that runs on it
#   cluster.sh revive DIR NODE             starts the node again
#   cluster.sh stop DIR                    ends what start and revive began
#
# Slurm's commands find the cluster with SLURM_CONF=DIR/slurm.conf.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
action=$1 dir=$2
export SLURM_CONF=$dir/slurm.conf

# begin NAME COMMAND...: runs the command in the background, with its process id in DIR/NAME.pid.
begin() {
    local name=$1
    shift
    setsid "$@" >"$dir/$name.out" 2>&1 </dev/null &
    echo $! >"$dir/$name.pid"
}

# shellcheck source=tests/until.sh
. "$(dirname "$0")/../until.sh"

both_idle() { [ "$(sinfo --noheader --Node --states=idle --format=%N | sort -u | wc -l)" = 2 ]; }

node_idle() { [ -n "$(sinfo --noheader --nodes="$1" --states=idle --format=%N)" ]; }

# The processes of this cluster's jobs on a node, each with the Slurm process that supervises it.
on_node() {
    local folder parent
    for folder in /proc/[0-9]*; do
        if tr '\0' '\n' 2>/dev/null <"$folder/environ" | grep -cx -e "SLURM_CONF=$SLURM_CONF" -e "SLURMD_NODENAME=$1" | grep -q 2; then
            echo "${folder#/proc/}"
            parent=$(awk '/^PPid:/ { print $2 }' "$folder/status" 2>/dev/null || true)
            if grep -q slurmstepd "/proc/${parent:-none}/comm" 2>/dev/null; then echo "$parent"; fi
        fi
    done 2>/dev/null | sort -un
}

# A zombie counts as gone.
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

end() {
    local file=$dir/$1.pid
    [ -s "$file" ] || return 0
    kill "$(cat "$file")" 2>/dev/null || true
    until_true 5 gone "$(cat "$file")" || kill -KILL "$(cat "$file")" 2>/dev/null || true
    rm -f "$file"
}

node() { begin "$1" slurmd -D -N "$1" -f "$SLURM_CONF"; }

case $action in
start)
    for program in munged slurmctld slurmd sbatch; do
        command -v $program >/dev/null || { echo "$program is not installed (Debian: apt-get install slurm-wlm munge)" >&2; exit 1; }
    done
    # With no interface but loopback, Slurm resolves no name, and each of its commands waits for minutes. Nothing is sent.
    (: >/dev/udp/192.0.2.1/9) 2>/dev/null || { echo "no network interface is up" >&2; exit 1; }
    mkdir -p "$dir"/{state,spool,munge}
    chmod 700 "$dir/munge"
    (umask 077 && head -c 512 /dev/urandom >"$dir/munge/key")
    host=$(hostname -s) memory=$(awk '/MemTotal/ { print int($2 / 2048) }' /proc/meminfo) user=$(id -un)
    cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$3
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.own.pid
SlurmdPidFile=$dir/%n.own.pid
# A container manages no control groups and keeps no accounts.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
# Tests should not wait.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdTimeout=300
ReturnToService=2
KillWait=5
MailProg=/bin/true
MaxArraySize=101
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$4 CPUs=1 RealMemory=$memory
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$5 CPUs=1 RealMemory=$memory
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=60 State=UP
CONF
    echo "CgroupAutomount=no" >"$dir/cgroup.conf"
    begin munged munged --foreground --force --socket="$dir/munge/socket" --key-file="$dir/munge/key" \
        --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2
    until_true 10 munge --socket="$dir/munge/socket" --no-input || { echo "munged does not answer" >&2; cat "$dir/munged.out" >&2; exit 1; }
    begin slurmctld slurmctld -D -c -f "$SLURM_CONF"
    node n1
    node n2
    until_true 60 both_idle || { echo "the nodes do not come up" >&2; tail -n 5 "$dir"/*.out >&2; exit 1; }
    ;;
crash)
    kill -KILL "$(cat "$dir/$3.pid")"
    # Some may end meanwhile.
    on_node "$3" | xargs -r kill -KILL 2>/dev/null || true
    scontrol update nodename="$3" state=down reason=crash
    ;;
revive)
    node "$3"
    until_true 10 scontrol update nodename="$3" state=resume || true
    until_true 60 node_idle "$3" || { echo "$3 does not come back" >&2; tail -n 5 "$dir"/*.out >&2; exit 1; }
    ;;
stop)
    scancel --user="$(id -un)" 2>/dev/null || true
    for node in n1 n2; do on_node $node | xargs -r kill -KILL 2>/dev/null || true; done
    for name in n1 n2 slurmctld munged; do end $name; done
    ;;
*)
    echo "usage: $0 start|crash|revive|stop DIR ..." >&2
    exit 2
    ;;
esac
