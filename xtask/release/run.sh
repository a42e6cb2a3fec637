#!/bin/sh
# Rehearses the release of a version: `make release VERSION=0.2.0`. Leaves in target/releases/VERSION what a release consists of: an archive
# with the program, wheel and source distribution of the Python package, the crates, the bill of materials, notes from the
# changelog, a Homebrew formula and a conda recipe, and SHA256SUMS of all of them. Then an archive and the wheel are installed and tried.
#
# If the version is not that of this folder, it is made in a clone of the last commit: as a commit and a tag, which can be fetched
# from there. Nothing in this folder changes.
set -eu
cd "$(dirname "$0")/../.."
current=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
version=${1:-$current}
fail() { echo "release: $*" >&2; exit 1; }
case $version in
    *[!0-9.]* | *..* | .* | *. | "") fail "'$version' is no version: MAJOR.MINOR.PATCH, as in make release VERSION=0.2.0" ;;
    *.*.*.*) fail "'$version' has more than three numbers" ;;
    *.*.*) ;;
    *) fail "'$version' has fewer than three numbers" ;;
esac
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR="$target"
made="$target/releases/$version"

if [ "$version" != "$current" ]; then
    git rev-parse --verify --quiet "refs/tags/v$version" >/dev/null && fail "there is a tag v$version already"
    rm -rf "$target/releases/source"
    git clone --quiet --no-local . "$target/releases/source"
    cd "$target/releases/source"
    pattern=$(echo "$current" | sed 's/\./\\./g')
    for file in Cargo.toml python/Cargo.toml; do
        sed -i "s/^version = \"$pattern\"\$/version = \"$version\"/; s/^\(noregret-.*\)version = \"$pattern\"/\1version = \"$version\"/" "$file"
    done
    sed -i "s/^version: $pattern\$/version: $version/" CITATION.cff
    sed -i "s/^## Unreleased\$/## $version, $(date -u +%Y-%m-%d)/" CHANGELOG.md
    cargo update --quiet --offline --workspace
    cargo update --quiet --offline --workspace --manifest-path python/Cargo.toml
    git -c user.name=release -c user.email=release@localhost commit --quiet --all --message "Version $version"
    git -c user.name=release -c user.email=release@localhost tag --annotate "v$version" --message "Version $version"
fi
grep -q "^version: $version\$" CITATION.cff || fail "CITATION.cff does not say version $version"
# What the changelog says of this version; of what is not released yet, if this is a rehearsal of it.
notes=$(awk -v version="$version" '/^## / { on = $2 == version "," || $2 == version || $2 == "Unreleased"; next } on' CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md has no section '## $version, DATE'"

# A rehearsal has the program of every day. A release, BUILD=dist, has two smaller ones, which take as long again: zig links them for
# systems with glibc 2.28 or later, and for all others without a C library.
build=${BUILD:-release}
cargo build --workspace --release --locked
host=$(rustc -vV | sed -n 's/^host: //p')
program="$target/release/noregret" static=
if [ "$build" != release ]; then
    musl=${host%-gnu}-musl
    ZIG=$(crates/zig.sh "$host" "$musl") || fail "BUILD=$build needs zig, which rustup and the Python package index did not give"
    export ZIG
    for system in "$host.2.28" "$musl"; do
        PATH="$ZIG:$PATH" cargo-zigbuild build --profile "$build" --locked --bin noregret --target "$system"
    done
    program="$target/$host/$build/noregret" static="$target/$musl/$build/noregret"
fi
export NOREGRET="$program"
[ "$("$program" --version)" = "noregret $version" ] || fail "the program says that it is $("$program" --version)"
make -s docs licences sbom
rm -rf "$made"
mkdir -p "$made"
echo "$notes" >"$made/notes.md"
cp "$target/noregret.cdx.json" "$made/noregret-$version.cdx.json"

# The packages of this program; a gate has just made them.
is_new() { [ -f "$1" ] && [ "$1" -nt "$program" ]; }
wheels="$target/python/wheels/noregret_kernels-$version"
is_new "$(echo "$wheels"-*.whl)" || python/check.sh || [ $? = 77 ]
if is_new "$(echo "$wheels"-*.whl)"; then
    cp "$wheels"* "$made"
else
    echo "release: there is NO wheel, because the Python package could not be built" >&2
fi
is_new "$target/package/noregret-$version.crate" || crates/check.sh
cp "$target"/package/*-"$version".crate "$made"
# What maintains the repository is in no registry.
rm -f "$made"/noregret-xtask-*

# archive SYSTEM PROGRAM: the same files give the same bytes, whoever packs them and when.
archive() {
    name="noregret-$version-$1"
    folder="$target/releases/$name"
    rm -rf "$folder"
    mkdir -p "$folder/completions"
    cp "$2" README.md CHANGELOG.md CITATION.cff LICENSE-MIT LICENSE-APACHE "$target/licences.txt" "$made/noregret-$version.cdx.json" "$folder"
    cp -R "$target/docs/src" "$folder/docs"
    "$2" man "$folder/man/man1" >/dev/null
    for shell in bash zsh fish; do "$2" completions "$shell" >"$folder/completions/noregret.$shell"; done
    tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner -C "$target/releases" -cf - "$name" |
        gzip -n -9 >"$made/$name.tar.gz"
    rm -rf "$folder"
}
archive "$host" "$program"
[ -z "$static" ] || archive "$musl" "$static"
hash=$(sha256sum "$made/noregret-$version-$host.tar.gz" | cut -d' ' -f1)
for file in noregret.rb recipe.yaml; do
    sed "s/@VERSION@/$version/; s/@HOST@/$host/; s/@SHA256@/$hash/" "xtask/release/$file" >"$made/$file"
done
(cd "$made" && sha256sum -- * >SHA256SUMS)

# As somebody who has nothing but these files.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
for system in "$host" ${static:+"$musl"}; do
    mkdir "$trial/$system"
    cp xtask/release/try.sh "$made"/* "$trial/$system"
    (cd "$trial/$system" && env -i HOME="$trial/$system/home" PATH=/usr/bin:/bin sh -eu try.sh "$version" "noregret-$version-$system")
done
echo "release: $version in $made"
[ "$version" = "$current" ] || echo "release: its commit and tag: git fetch $target/releases/source tag v$version"
