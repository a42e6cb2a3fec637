#!/bin/sh
# Packages every crate as `cargo publish` would, and checks that each is complete: from its package alone, away from the repository, with
# the dependencies that Cargo.lock names. The program is checked for arm64 Linux, musl, macOS and Windows, where rustup and the package
# index give what that takes: C parts are compiled by zig, which has the headers of all of them.
set -eu
cd "$(dirname "$0")/.."
repository=$PWD
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
rm -rf "$CARGO_TARGET_DIR/package"
cargo package --workspace --locked --no-verify --allow-dirty --quiet
for package in "$CARGO_TARGET_DIR"/package/*.crate; do
    tar -xzf "$package" -C "$away"
done
# They find each other as they would in the registry. With the profiles of the repository, what it has compiled is used again.
{
    printf '[workspace]\nmembers = ["*"]\nresolver = "3"\n\n[patch.crates-io]\n'
    for folder in "$away"/*/; do
        name=$(sed -n 's/^name = "\(.*\)"$/\1/p' "$folder/Cargo.toml" | head -n 1)
        echo "$name = { path = \"$(basename "$folder")\" }"
    done
    awk '/^\[/ { profile = /^\[profile/ } profile' Cargo.toml
} >"$away/Cargo.toml"
cp Cargo.lock "$away"
cd "$away"
systems="aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-apple-darwin x86_64-pc-windows-gnu"
# shellcheck disable=SC2086 # the words are the systems
if zig=$("$repository/crates/zig.sh" $systems) && (cd "$repository" && timeout 300 cargo fetch --quiet --locked); then
    PATH="$zig:$PATH"
    for system in $systems; do
        # What maintains the repository runs on Linux.
        case $system in *linux-gnu) what=--workspace ;; *) what="-p noregret" ;; esac
        RUSTFLAGS="-D warnings" cargo-zigbuild check $what --release --offline --quiet --target "$system"
        echo "crates: checked for $system"
    done
else
    echo "crates: the targets or zig could not be installed: arm64, musl, macOS and Windows are NOT checked" >&2
    cargo check --workspace --release --offline --quiet
fi
echo "crates: $(ls -d ./*/ | wc -l) packages, each complete"
