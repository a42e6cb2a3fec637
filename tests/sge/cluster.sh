#!/usr/bin/env bash
# A cluster of (Son of) Grid Engine on this machine, for tests: one node with one queue of two slots. All of its files are in the
# folder DIR; a cell that this machine has besides is neither used nor changed. Root starts it.
#
#   cluster.sh start DIR PORT PORT    starts it on two free ports: the master's, the node's
#   cluster.sh stop DIR               ends it, and all that runs on it
#
# Grid Engine's commands find the cluster with the variables that DIR/settings.sh exports.
set -euo pipefail
programs=/usr/lib/gridengine shared=/usr/share/gridengine
PATH=$programs:$PATH:/usr/sbin:/sbin
[ $# -ge 2 ] || { echo "usage: $0 start DIR PORT PORT | stop DIR" >&2; exit 2; }
action=$1 dir=$(realpath -m "$2")

fail() { echo "$1" >&2; exit 1; }

# begin NAME: runs the daemon in the background, with its process id in DIR/NAME.pid.
begin() {
    SGE_ND=1 setsid "sge_$1" >"$dir/$1.out" 2>&1 </dev/null & # SGE_ND: it stays in the foreground
    echo $! >"$dir/$1.pid"
    disown
}

# shellcheck source=tests/until.sh
. "$(dirname "$0")/../until.sh"

# Ends what was begun, and says in one line why.
give_up() {
    stop
    fail "$1: $(tail -qn 3 "$dir"/*.out 2>/dev/null | tr '\n' ' ')"
}

# The node reports its load, and the queue takes jobs: a line of qstat ends with states, if there are any.
ready() { qstat -f -q main.q | awk '$1 ~ /^main\.q@/ && $3 == "0/0/2" && $4 != "-NA-" && NF == 5 { found = 1 } END { exit !found }'; }

# The processes of jobs, and those of Grid Engine that supervise them.
of_jobs() {
    local folder
    for folder in /proc/[0-9]*; do
        if tr '\0' '\n' <"$folder/environ" | grep -q "^SGE_JOB_SPOOL_DIR=$dir/" ||
            { grep -qx sge_shepherd "$folder/comm" && tr '\0' '\n' <"$folder/environ" | grep -qx "SGE_ROOT=$dir"; }; then
            echo "${folder#/proc/}"
        fi
    done 2>/dev/null
}

# Kills them; true when there were none.
no_jobs() {
    local left
    left=$(of_jobs)
    [ -z "$left" ] || { xargs kill -KILL <<<"$left" 2>/dev/null || true; return 1; }
}

# Nothing in the folder is needed any more, so that nothing has to end in order. The daemons go first: they start no more jobs.
stop() {
    local name
    for name in qmaster execd; do
        [ ! -s "$dir/$name.pid" ] || kill -KILL "$(cat "$dir/$name.pid")" 2>/dev/null || true
        rm -f "$dir/$name.pid"
    done
    until_true 5 no_jobs || true
}

# Writes the files from which the daemons start.
prepare() {
    mkdir -p "$dir"/{bin,tmp,default/common,spool/qmaster/job_scripts,spool/execd}
    ln -sfn "$programs" "$dir/bin/$("$shared/util/arch")"
    ln -sfn "$shared/util" "$dir/util"
    # This machine has one name here, whatever its network and /etc/hosts call it.
    echo "localhost $(hostname) $(hostname -f 2>/dev/null || true)" >"$dir/default/common/host_aliases"
    echo localhost >"$dir/default/common/act_qmaster"
    cat >"$dir/settings.sh" <<SETTINGS
export SGE_ROOT='$dir' SGE_CELL=default SGE_QMASTER_PORT=$1 SGE_EXECD_PORT=$2
SETTINGS
    cat >"$dir/default/common/bootstrap" <<BOOTSTRAP
admin_user none
default_domain none
ignore_fqdn true
spooling_method classic
spooling_lib libspoolc
spooling_params $dir/default/common;$dir/spool/qmaster
binary_path $dir/bin
qmaster_spool_dir $dir/spool/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
BOOTSTRAP
    # Debian's own settings, except that root may have jobs and nobody gets mail. Grid Engine knows the processes of a job by a
    # group, and kills those of its group: two clusters should not have the same ones.
    local group=$((65000 + $1 % 40 * 10))
    sed -e "s|^\(execd_spool_dir\) .*|\1 $dir/spool/execd|" -e 's|^\(mailer\) .*|\1 /bin/true|' \
        -e 's|^\(administrator_mail\) .*|\1 none|' -e 's|^\(min_[ug]id\) .*|\1 0|' \
        -e "s|^\(gid_range\) .*|\1 $group-$((group + 9))|" -e 's|^\(load_report_time\) .*|\1 00:00:01|' \
        "$shared/default-configuration" >"$dir/configuration"
    # As its editor, qconf runs this on a template. A busy machine takes jobs, too.
    cat >"$dir/queue" <<QUEUE
#!/bin/sh
exec sed -i -e 's|^\(hostlist\) .*|\1 localhost|' -e 's|^\(slots\) .*|\1 2|' -e 's|^\(load_thresholds\) .*|\1 NONE|' \
    -e 's|^\(pe_list\) .*|\1 NONE|' -e 's|^\(tmpdir\) .*|\1 $dir/tmp|' "\$1"
QUEUE
    # Tests should not wait.
    cat >"$dir/scheduler" <<'SCHEDULER'
#!/bin/sh
exec sed -i -e 's/^\(schedule_interval\) .*/\1 0:0:1/' -e 's/^\(flush_[a-z]*_sec\) .*/\1 1/' \
    -e 's/^\(job_load_adjustments\) .*/\1 NONE/' "$1"
SCHEDULER
    chmod +x "$dir/queue" "$dir/scheduler"
}

spool() {
    spoolinit classic libspoolc "$dir/default/common;$dir/spool/qmaster" init &&
        spooldefaults configuration "$dir/configuration" &&
        spooldefaults complexes "$shared/util/resources/centry" &&
        spooldefaults usersets "$shared/util/resources/usersets" &&
        spooldefaults managers root
}

configure() { qconf -as localhost && EDITOR=$dir/scheduler qconf -msconf && EDITOR=$dir/queue qconf -aq main.q; }

case $action in
start)
    for program in sge_qmaster sge_execd qsub; do
        [ -x "$programs/$program" ] ||
            fail "$program is not installed (Debian: apt-get install gridengine-master gridengine-exec)"
    done
    [ "$(id -u)" = 0 ] || fail "only root can start Grid Engine's daemons"
    [ ! -e "$dir/default" ] || fail "$dir has had a cluster"
    for port in "$3" "$4"; do
        ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || fail "somebody listens on port $port"
    done
    prepare "$3" "$4"
    # shellcheck disable=SC1091
    . "$dir/settings.sh"
    spool >"$dir/spool.out" 2>&1 || give_up "the files of the master cannot be made"
    begin qmaster
    until_true 10 qconf -sh || give_up "the master does not answer"
    begin execd
    until_true 10 qconf -se localhost || give_up "the node does not come up"
    configure >"$dir/configure.out" 2>&1 || give_up "the queue cannot be made"
    until_true 10 ready || give_up "the queue takes no jobs"
    ;;
stop)
    stop
    ;;
*)
    fail "unknown action: $action"
    ;;
esac
