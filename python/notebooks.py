"""Runs the notebooks of docs/notebooks, each in an empty folder, in the environment that this script runs in, with `noregret` on the PATH.

`notebooks.py write` puts what cells show into the notebooks, and makes a page of the book of each: docs/src/notebook-NAME.md, with its pictures.
`notebooks.py check` fails where a cell fails or its text is not the one that is there, and where a page is not that of its notebook.
"""
import base64
import difflib
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

BOOK = Path(__file__).parents[1] / "docs"


def run(path):
    """The notebook with what its cells show now."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}})
        client.execute()
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in cell.metadata if key == "alt"}
        for output in cell.get("outputs", []):
            # Programs that a cell starts write to a terminal.
            if output.output_type == "stream":
                output.text = output.text.replace("\r\n", "\n")
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def text(output):
    """The text of an output: of a stream, or of a value as it is printed. A figure's is its size, which depends on fonts."""
    if output.output_type == "stream":
        return output.text
    return "" if "image/png" in output.data else output.data.get("text/plain", "") + "\n"


def shown(notebook):
    """The texts of all cells, below their sources."""
    return "".join(f"{cell.source}\n{''.join(map(text, cell.get('outputs', [])))}\n" for cell in notebook.cells)


def page(name, notebook):
    """The page of a notebook, and the bytes of its pictures by name."""
    told, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            told.append(cell.source)
            continue
        told.append(f"```python not run: a cell of the notebook\n{cell.source}\n```")
        for output in cell.outputs:
            if output.output_type != "stream" and "image/png" in output.data:
                picture = f"notebook-{name}-{len(pictures) + 1}.png"
                pictures[picture] = base64.b64decode(output.data["image/png"])
                told.append(f"![{cell.metadata.get('alt') or 'The figure that this cell draws'}](images/{picture})")
            elif shows := text(output).rstrip():
                told.append(f"```text\n{shows}\n```")
    told.insert(1, f"This page is the notebook `docs/notebooks/{name}.ipynb`, as it was run.")
    return "\n\n".join(told) + "\n", pictures


def main(task):
    failed = False
    for path in sorted((BOOK / "notebooks").glob("*.ipynb")):
        before, now = nbformat.read(path, as_version=4), run(path)
        target = BOOK / "src" / f"notebook-{path.stem}.md"
        if task == "write":
            nbformat.write(now, path)
            told, pictures = page(path.stem, now)
            target.write_text(told)
            for name, content in pictures.items():
                (BOOK / "src" / "images" / name).write_bytes(content)
            continue
        # Pictures differ with fonts, texts may not.
        pairs = [(path, shown(before), shown(now)), (target, target.read_text(), page(path.stem, before)[0])]
        for file, kept, found in pairs:
            if kept != found:
                failed = True
                sys.stderr.writelines(difflib.unified_diff(kept.splitlines(True), found.splitlines(True), str(file), "now"))
    sys.exit(failed and "the notebooks show something else now: python/notebooks.py write")


main(sys.argv[1])
