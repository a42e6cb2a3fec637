# Installs the wheel in `found` into the environment `alone`, where there is nothing else, tries the program and the package, and removes both.
! command -v cargo rustc noregret || { echo "something is there already" >&2; exit 1; }
mkdir home
traces() { find alone home -iname '*noregret*'; }
pip="python -m pip --quiet --disable-pip-version-check --no-cache-dir"
$pip install --no-index --find-links found noregret-kernels

python -c '
from random import Random
random = Random(0)
print("x,colour,y")
for t in range(400):
    x, colour = random.uniform(-1, 1), random.choice(["red", "blue"])
    print(x, colour, x * x + (colour == "red") + random.gauss(0, 0.1), sep=",")
' >data.csv
noregret --version
noregret stream data.csv --target y --output rounds.csv
noregret compare data.csv --target y --learners linear-ridge,kernel-awv >board
grep -q kernel-awv board
python - <<'END'
import numpy as np
from noregret_kernels import Auto

X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
assert Auto().play(X, X[:, 0] ** 2).losses[-100:].mean() < 0.01
END
[ -n "$(traces)" ] || { echo "no trace is found of what is installed" >&2; exit 1; }
$pip uninstall --yes noregret-kernels
[ -z "$(traces)" ] || { echo "left behind:" >&2; traces >&2; exit 1; }
hash -r
! command -v noregret || { echo "the program is still there" >&2; exit 1; }
echo "the wheel installs, works and leaves by itself: $(du -k found/noregret_kernels*.whl | cut -f1) KiB"
