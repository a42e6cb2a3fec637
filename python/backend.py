"""How the package is built (PEP 517): by maturin, after the classes of the learners and their types have been written.

They are not in the repository. A source distribution has them, so that it needs neither the repository nor this step.
"""

from pathlib import Path

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def _write():
    # Every source distribution has this file.
    if not Path(__file__).with_name("PKG-INFO").exists():
        import generate

        # Where there is no Rust, maturin has fetched it, and this says where.
        generate.write(maturin._get_env())


def build_wheel(*arguments, **named):
    _write()
    return maturin.build_wheel(*arguments, **named)


def build_editable(*arguments, **named):
    _write()
    return maturin.build_editable(*arguments, **named)


def build_sdist(*arguments, **named):
    _write()
    return maturin.build_sdist(*arguments, **named)
