# Tries the files of a release where there is nothing else: try.sh VERSION NAME, in a folder with what `make release` made.
version=$1 name=$2
! command -v cargo rustc noregret || { echo "something is there already" >&2; exit 1; }
sha256sum --check --quiet SHA256SUMS
mkdir home
tar -xzf "$name.tar.gz"
PATH="$PWD/$name:$PATH"
[ "$(noregret --version)" = "noregret $version" ]
# The path of the loader of a C library is in every program that needs one.
case $name in *-musl) ! grep -aqE '/ld-(linux|musl)' "$name/noregret" || { echo "the program needs a C library" >&2; exit 1; } ;; esac
for file in README.md CHANGELOG.md CITATION.cff LICENSE-MIT LICENSE-APACHE licences.txt docs/introduction.md man/man1/noregret-stream.1; do
    [ -s "$name/$file" ] || { echo "the archive has no $file" >&2; exit 1; }
done
grep -q "complete .*noregret" "$name/completions/noregret.bash"
grep -q "#compdef noregret" "$name/completions/noregret.zsh"
grep -q "^complete .*noregret" "$name/completions/noregret.fish"

# A first hour: a stream of one's own, a learner found for it, and a project of it with its report.
awk 'BEGIN { srand(1); print "x,y"; for (t = 0; t < 400; t++) { x = 2 * rand() - 1; print x "," x * x + .1 * rand() } }' >data.csv
noregret stream data.csv --target y --output rounds.csv
noregret compare data.csv --target y --learners linear-ridge,kernel-awv >board
grep -q kernel-awv board
noregret -q init own --data data.csv --target y
noregret -q -C own run --profile quick
[ -s own/reports/index.html ]
# Nothing was left anywhere but here.
[ -z "$(find home -type f)" ] || { echo "left in the home folder:" >&2; find home -type f >&2; exit 1; }
echo "$name works by itself: the archive $(du -k "$name.tar.gz" | cut -f1) KiB, the program $(du -k "$name/noregret" | cut -f1) KiB"
