#!/bin/sh
# zig.sh TARGET...: prints the folder of cargo-zigbuild and zig, which it installs in target/zig, and adds to rustup what Rust needs for the
# targets. It fails where rustup or the package index cannot be reached.
set -eu
place="$(realpath -m "${CARGO_TARGET_DIR:-target}")/zig"
timeout 300 rustup target add "$@" >/dev/null 2>&1
python3 -m venv "$place" >/dev/null 2>&1
timeout 300 "$place/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$(dirname "$0")/zig.txt" >&2
echo "$place/bin"
