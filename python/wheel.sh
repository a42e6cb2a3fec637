#!/bin/sh
# wheel.sh PLACE PROGRAM LICENCES [OPTION of maturin...]: builds the source distribution of the Python package, and from it, outside of the
# repository, a wheel that holds PROGRAM and the LICENCES of its packages. Both are left in PLACE. PROGRAM and LICENCES are absolute paths;
# if PROGRAM is empty, the wheel has no program. It needs maturin as `python -m maturin`, and is meant for Linux, macOS and the Bash of
# Git for Windows.
set -eu
rm -rf "$1"
mkdir -p "$1"
place=$(cd "$1" && pwd) program=$2 licences=$3
shift 3
cd "$(dirname "$0")"
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
# As frontends call it: the classes of the learners are written, then maturin packs them.
python -c 'import sys; sys.path.insert(0, "."); import backend; backend.build_sdist(sys.argv[1])' "$place"
# Files that are as new as this build: cargo looks at their times.
tar -xmzf - -C "$away" --strip-components 1 <"$(ls "$place"/*.tar.gz)"
if [ -n "$program" ]; then
    mkdir -p "$away/beside/scripts" "$away/beside/data/share/doc/noregret"
    case $program in *.exe) name=noregret.exe ;; *) name=noregret ;; esac
    cp "$program" "$away/beside/scripts/$name"
    cp "$licences" "$away/beside/data/share/doc/noregret"
    # The `sed` of macOS edits in place in another way.
    sed 's/^\[tool\.maturin\]$/&\
data = "beside"/' "$away/pyproject.toml" >"$away/pyproject.new"
    mv "$away/pyproject.new" "$away/pyproject.toml"
    grep -q '^data = "beside"$' "$away/pyproject.toml"
fi
(cd "$away" && python -m maturin build --release --locked --out "$place" "$@")
