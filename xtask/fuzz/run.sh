#!/bin/sh
# Fuzzes each reader, or the one that is named, for a time such as 30s, 5m or 1h, beginning with the inputs in corpus/READER.
# What it finds stays in found/READER, which git ignores, and an input that breaks the reader in artifacts/READER.
set -eu
program=$(realpath "$1") each=$2
cd "$(dirname "$0")/../.."
seconds=$(printf '%s' "$each" | sed 's/s$//; s/m$/*60/; s/h$/*3600/')
# Readers of whole folders mostly wait for a disk; a folder in memory lets them try fifteen times as many inputs.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
failed=
for reader in ${3:-$(ls xtask/fuzz/corpus)}; do
    mkdir -p "xtask/fuzz/found/$reader" "xtask/fuzz/artifacts/$reader"
    if ! READER=$reader "$program" -max_total_time=$((seconds)) -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="xtask/fuzz/artifacts/$reader/" \
        "xtask/fuzz/found/$reader" "xtask/fuzz/corpus/$reader" 2>xtask/fuzz/artifacts/$reader.log; then
        failed="$failed $reader"
        tail -n 30 "xtask/fuzz/artifacts/$reader.log" >&2
    fi
    printf '%-14s %s inputs tried\n' "$reader" \
        "$(sed -n 's/^stat::number_of_executed_units: //p' "xtask/fuzz/artifacts/$reader.log")"
done
[ -z "$failed" ] || { echo "broken by an input in xtask/fuzz/artifacts:$failed" >&2; exit 1; }
