#!/bin/sh
# Packages every crate as `cargo publish` would, and checks that each is complete: from its package alone, away from the repository, with
# the dependencies that Cargo.lock names.
set -eu
cd "$(dirname "$0")/.."
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
cargo check --workspace --release --offline --quiet
echo "crates: $(ls -d ./*/ | wc -l) packages, each complete"
