#!/usr/bin/env bash
# Puts every table of a report, and every figure of the width of a column, into one LaTeX article, tables for two columns
# into another, and fails if a line of them is too long. `tests/browser/article.sh REPORTS FOLDER`: the folder of the report, and one for the article.
set -euo pipefail
for package in booktabs array longtable pdflscape graphicx; do
    kpsewhich "$package.sty" >/dev/null || { echo "no $package.sty is installed: the article is not compiled"; exit 0; }
done
reports=$(realpath "$1")
mkdir -p "$2" && cd "$2"
{
    printf '%s\n' '\documentclass{article}' '\usepackage[T1]{fontenc}' '\usepackage{booktabs,array,longtable,pdflscape,graphicx}' \
        '\begin{document}'
    # Figures on times have pictures in TikZ beside the tables.
    for table in "$reports"/tables/*.tex "$reports"/timings/*.tex; do
        [[ -f $table && $table != *-column.tex ]] && ! grep -q tikzpicture "$table" && printf '\\input{%s}\n\\clearpage\n' "$table"
    done
    for figure in "$reports"/figures/*-column.pdf "$reports"/timings/*-column.pdf; do
        [ -f "$figure" ] && printf '\\noindent\\includegraphics{%s}\n\n' "$figure"
    done
    printf '\\end{document}\n'
} >all.tex
{
    printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage[T1]{fontenc}' '\usepackage{booktabs,array}' '\extrafloats{200}' \
        '\begin{document}' 'Tables.'
    for table in "$reports"/tables/*-column.tex "$reports"/timings/*-column.tex; do
        [ -f "$table" ] && ! grep -q tikzpicture "$table" && printf '\\input{%s}\n\\clearpage\n' "$table"
    done
    printf '\\end{document}\n'
} >columns.tex
# Long tables know the widths of their columns in the second pass.
for article in all all columns; do
    pdflatex -interaction=nonstopmode -halt-on-error $article.tex >pdflatex.out || { tail -n 40 pdflatex.out >&2; exit 1; }
done
if grep -A4 -e '^Overfull' -e 'Float too large' all.log columns.log >&2; then exit 1; fi
count() { cat "${@:2}" | grep -c "$1" || true; }
echo "$(count 'input{' all.tex columns.tex) tables and $(count includegraphics all.tex) figures: no line is too long"
