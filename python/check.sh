#!/bin/sh
# Builds the wheel of the Python package from its source distribution, away from the repository, with the program inside, installs it in a
# fresh environment and tests it there; then builds it as `pip install ./python` does, which must give the same but for the program. At last
# the wheel is installed where there is nothing else. What is kept lies below target/python. Ends with status 77 where Python 3.11 or its
# packages cannot be had.
set -eu
cd "$(dirname "$0")"
place="$(realpath -m "${CARGO_TARGET_DIR:-../target}")/python"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "the Python package needs Python 3.11 (PYTHON=...): it is not built" >&2
    exit 77
}
mkdir -p "$place"
# The environment $1 with the packages that $2 pins, made again when these change.
environment() {
    pinned=$(sha256sum "$2" | cut -d' ' -f1)
    [ "$(cat "$place/$1.pinned" 2>/dev/null)" != "$pinned" ] || return 0
    rm -rf "${place:?}/$1" "$place/$1.pinned"
    "$python" -m venv "$place/$1" || { echo "no virtual environment can be made: install python3-venv" >&2; return 1; }
    "$place/$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$2" || return 1
    echo "$pinned" >"$place/$1.pinned"
}
environment tools requirements.txt || { echo "the package index cannot be reached: the Python package is not built" >&2; exit 77; }

export CARGO_TARGET_DIR="$place/cargo" PYO3_PYTHON="$place/tools/bin/python"
rustfmt --edition 2024 --check src/*.rs examples/*.rs
cargo clippy --release --locked --lib --examples -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps --document-private-items --quiet
rm -rf "$place/wheels" "$place/fresh"
mkdir "$place/wheels"
# The program goes into the wheel, and the tests hold the learners to it.
NOREGRET=${NOREGRET:-$(realpath -e "$place/../release/noregret" 2>/dev/null || true)}
export NOREGRET
if [ -n "$NOREGRET" ]; then
    make -s -C .. licences CARGO_TARGET_DIR="$(realpath "$place/..")"
else
    echo "NOREGRET names no program: the wheel has none" >&2
fi
# A release has zig in the folder ZIG, which links for older systems than this one.
options="--compatibility linux"
if [ -n "${ZIG:-}" ]; then
    options="--compatibility manylinux_2_28 --zig --target $(rustc -vV | sed -n 's/^host: //p')"
    export CARGO_ZIGBUILD_ZIG_PATH="$ZIG/python-zig"
fi
# shellcheck disable=SC2086 # the words are the options
PATH="$place/tools/bin:$PATH" ./wheel.sh "$place/built" "$NOREGRET" "$place/../licences.txt" $options
for file in LICENSE-APACHE LICENSE-MIT noregret_kernels/kernels.py noregret_kernels/kernels.pyi noregret_kernels/learners.py noregret_kernels/learners.pyi noregret_kernels/river.py noregret_kernels/river.pyi; do
    tar -tzf "$place"/built/*.tar.gz | grep -q "^noregret_kernels-[^/]*/$file\$" || { echo "the source distribution has no $file" >&2; exit 1; }
done
mv "$place"/built/*.tar.gz "$place/wheels"
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
# The tag of the wheel says on which systems the extension and the program run.
PATH="$place/tools/bin:$PATH" auditwheel repair --wheel-dir "$place/wheels" "$place"/built/*.whl
wheel=$(ls "$place"/wheels/*.whl)

# A fresh environment: it sees the pinned packages, and of this folder nothing but the wheel.
"$python" -m venv "$place/fresh"
site=$("$place/fresh/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$place/tools/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/pinned.pth"
"$place/fresh/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel"
"$place/fresh/bin/python" -P -m pytest "$@"
# The examples in docstrings, and the types that a program sees.
typed=$(realpath tests/typed.py)
(
    cd "$place/fresh"
    bin/python -P -m pytest -q -p no:cacheprovider --doctest-modules --ignore "$site/noregret_kernels/sktime.py" "$site/noregret_kernels"
    bin/python -P -m mypy --no-error-summary --ignore-missing-imports -p noregret_kernels
    bin/python -P -m mypy --no-error-summary --strict "$typed"
    bin/python -P "$typed" >/dev/null
)
# With the oldest packages that are allowed, and the adapter for sktime, which wants an older pandas.
for other in "oldest test_scikit_learn.py test_tools.py" "sktime test_sktime.py --doctest-modules --pyargs noregret_kernels.sktime"; do
    # shellcheck disable=SC2086 # the words are the name and the tests
    set -- $other
    name=$1
    shift
    environment "$name" "requirements-$name.txt" || {
        echo "the package index cannot be reached: the environment $name was NOT tested" >&2
        continue
    }
    "$place/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
    (cd tests && "$place/$name/bin/python" -P -m pytest -c ../pyproject.toml "$@")
done
# The notebooks of the book, with the program that the wheel holds.
if [ -z "$NOREGRET" ]; then
    echo "the wheel has no program: the notebooks were NOT run" >&2
elif environment notebooks requirements-notebooks.txt; then
    "$place/notebooks/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
    PATH="$place/notebooks/bin:$PATH" python notebooks.py check
else
    echo "the package index cannot be reached: the notebooks were NOT run" >&2
fi
# From the clone, as `pip install ./python` builds it.
PATH="$place/tools/bin:$PATH" pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --wheel-dir "$away/clone" .
size=$(stat -c %s "$away"/clone/*.whl)
[ "$size" -lt 5000000 ] || { echo "the wheel has $size bytes without the program, more than 5 MB" >&2; exit 1; }
"$python" - "$wheel" "$away"/clone/*.whl <<'END'
import sys
from zipfile import ZipFile

texts = [{name: wheel.read(name) for name in wheel.namelist() if ".py" in name} for wheel in map(ZipFile, sys.argv[1:])]
assert texts[0] == texts[1] and len(texts[0]) > 10, [sorted(names) for names in texts]
END

# Where there is nothing else, no Rust, no network, nothing of this folder: the wheel is installed, tried, and removed without a trace.
trial=$(mktemp -d)
trap 'rm -rf "$away" "$trial"' EXIT
if [ -n "$NOREGRET" ] && "$place/tools/bin/python" -m pip download --quiet --disable-pip-version-check --dest "$trial/found" --only-binary :all: \
    --require-hashes -r requirements-oldest.txt; then
    cp "$wheel" "$trial/found"
    cp alone.sh "$trial"
    "$python" -m venv "$trial/alone"
    (cd "$trial" && env -i HOME="$trial/home" PATH="$trial/alone/bin:/usr/bin:/bin" sh -eu alone.sh)
else
    echo "the program or the package index is not there: the wheel was NOT tried by itself" >&2
fi
seconds() { "$place/fresh/bin/python" -P -c "import $1time; start = time.process_time(); import $2; print(f'{time.process_time() - start:.2f}')"; }
echo "noregret for Python: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, $size without the program; importing takes $(seconds "" noregret_kernels) s of processor time," \
    "$(seconds "sklearn.base, sklearn.utils.estimator_checks, " noregret_kernels) s of it where scikit-learn is imported already"
