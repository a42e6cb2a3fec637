'use strict';
// Rows are sorted by the head that is clicked, once more for the other order. Empty cells stay at the end.
for (const head of all('thead th:has(button)')) {
  head.querySelector('button').addEventListener('click', () => {
    const body = head.closest('table').tBodies[0];
    const index = head.cellIndex;
    const down = head.getAttribute('aria-sort') === 'ascending';
    all('th', head.parentNode).forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const value = row => row.cells[index].dataset.sort;
    const text = row => row.cells[index].textContent;
    const order = (a, b) => (value(a) !== undefined && value(b) !== undefined ? value(a) - value(b) : text(a).localeCompare(text(b), 'en', { numeric: true }));
    const empty = row => value(row) === undefined && head.classList.contains('number');
    body.append(...[...body.rows].sort((a, b) => empty(a) - empty(b) || (down ? order(b, a) : order(a, b))));
  });
}

// All rows and columns, with all digits; an interval takes two columns, as in the file beside the page.
function rowsOf(table) {
  const heads = [...table.tHead.rows[0].cells];
  const halves = heads.map(head => head.dataset.interval !== undefined);
  const lines = [heads.flatMap((head, index) => (halves[index] ? [head.dataset.key, `${head.dataset.key}_half_width`] : [head.dataset.key]))];
  for (const row of table.tBodies[0].rows) {
    lines.push([...row.cells].flatMap((cell, index) => {
      const text = cell.dataset.sort ?? cell.dataset.text ?? (cell.textContent === '\u2013' ? '' : cell.textContent);
      return halves[index] ? [text, cell.dataset.half ?? ''] : [text];
    }));
  }
  return `${lines.map(quoted).join('\n')}\n`;
}

for (const figure of all('.exhibit.table')) {
  const table = figure.querySelector('.scroll > table');
  const heads = [...table.tHead.rows[0].cells];
  if (heads.some(head => head.classList.contains('detail'))) {
    const list = make('details', { class: 'columns controls' }, make('summary', {}, `Columns (${heads.length})`));
    heads.forEach((head, index) => {
      if (index === 0) return;
      const box = make('input', { type: 'checkbox' });
      box.checked = !head.classList.contains('detail');
      box.addEventListener('change', () => {
        for (const row of table.rows) row.cells[index].classList.toggle('detail', !box.checked);
      });
      list.append(make('label', {}, box, ` ${head.textContent}`));
    });
    figure.querySelector('.scroll').before(list);
  }
  const box = figure.querySelector('.downloads');
  if (!box) continue;
  const { name } = figure.dataset;
  box.append(download('CSV', 'CSV', figure, () => save(`${name}.csv`, 'text/csv', rowsOf(table))), ' ',
    make('button', {
      type: 'button',
      onclick: async () => {
        const source = figure.querySelector('template.tex').content.textContent;
        try { await navigator.clipboard.writeText(source); say('The TeX source is in the clipboard.'); } catch { save(`${name}.tex`, 'text/plain', source); }
      },
    }, 'Copy as TeX'));
}
jump();
addEventListener('hashchange', jump);
