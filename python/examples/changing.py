# %% [markdown]
# # A function that changes, and learners that follow it
#
# Run it as a script, `python changing.py plot.png`, or cell by cell in an editor that knows `# %%`. It needs matplotlib.

# %%
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import noregret_kernels as nk

# %% A sine whose phase drifts, seen with noise of standard deviation 0.1.
rng = np.random.default_rng(0)
rounds = np.arange(6000)
X = rng.uniform(-1, 1, (len(rounds), 1))
y = np.sin(4 * X[:, 0] + rounds / 800) + 0.1 * rng.normal(size=len(rounds))

# %% Each prediction is made before its target is seen.
# The inputs already lie in [-1, 1], so that nothing is to be scaled.
features = {"lam": 0.1, "bandwidth": 0.5, "order": 6, "scaling": "none"}
learners = {
    "all rounds count (pkawv-taylor)": nk.PkawvTaylor(**features),
    "the last 100 count (discounted-awv-taylor)": nk.DiscountedAwvTaylor(memory=100.0, **features),
    "all memories, weighted (discount-mixture)": nk.DiscountMixture(bound=1.5, **features),
}
played = {name: nk.play(learner, X, y) for name, learner in learners.items()}

# %% The average loss so far, over the variance of the noise, which no learner can avoid.
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, (_, losses) in played.items():
    axes.plot(rounds + 1, losses.cumsum() / (rounds + 1) - 0.01, label=name)
axes.set(xscale="log", yscale="log", xlim=(10, None), xlabel="round", ylabel="average loss minus 0.01")
axes.legend(fontsize=8)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "changing.png", dpi=150)

# %%
for name, (_, losses) in played.items():
    print(f"{losses.mean():.4f}  {name}")
assert played["the last 100 count (discounted-awv-taylor)"].losses.mean() < 0.03
