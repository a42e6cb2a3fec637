'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const readout = document.getElementById('readout');

// Converts pixels to values: "log 1 100 60 500" is the scale, two values, and their pixels.
function axis(text) {
  const [scale, ...numbers] = text.split(' ');
  const [min, max, from, to] = numbers.map(Number);
  return pixel => {
    const share = (pixel - from) / (to - from);
    return scale === 'log' ? min * (max / min) ** share : min + share * (max - min);
  };
}

for (const svg of all('.picture svg')) {
  svg.setAttribute('aria-label', svg.querySelector('title').textContent);
  svg.querySelector('title').remove(); // browsers would show it as a tooltip
  const [toX, toY] = [axis(svg.dataset.x), axis(svg.dataset.y)];
  const points = all('.series', svg).flatMap(group => all('.curve', group).flatMap(line =>
    [...line.points].map(({ x, y }) => ({ x, y, group }))));

  for (const entry of all('.legend', svg)) {
    const group = svg.querySelector(`.series[data-series="${entry.dataset.series}"]`);
    const flip = () => [entry, group].forEach(part => part?.classList.toggle('off'));
    Object.entries({ tabindex: 0, role: 'button', 'pointer-events': 'bounding-box' }).forEach(pair => entry.setAttribute(...pair));
    entry.addEventListener('click', flip);
    entry.addEventListener('keydown', event => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); flip(); } });
  }

  svg.addEventListener('pointermove', event => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const distance = point => Math.hypot(point.x - at.x, point.y - at.y);
    const shown = points.filter(point => !point.group.classList.contains('off'));
    const near = shown.reduce((best, point) => (!best || distance(point) < distance(best) ? point : best), null);
    readout.hidden = !near || distance(near) > 18;
    if (readout.hidden) return;
    const [x, y] = [Math.round(toX(near.x)).toLocaleString('en').replaceAll(',', '\u202f'), toY(near.y).toPrecision(3)];
    readout.textContent = `${near.group.dataset.name}: ${y} at ${x}`;
    readout.style.left = `${Math.min(event.clientX + 14, innerWidth - readout.offsetWidth - 8)}px`;
    readout.style.top = `${event.clientY + 16}px`;
  });
  svg.addEventListener('pointerleave', () => { readout.hidden = true; });
}

document.getElementById('filter').addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const figure of all('figure')) figure.hidden = !words.every(word => figure.textContent.toLowerCase().includes(word));
  for (const section of all('section:has(.exhibits)')) section.hidden = !section.querySelector('figure:not([hidden])');
});

const shrink = () => all('figure.large').forEach(figure => figure.classList.remove('large'));
for (const button of all('.zoom')) {
  button.addEventListener('click', () => {
    const figure = button.closest('figure');
    const large = figure.classList.contains('large');
    shrink();
    figure.classList.toggle('large', !large);
  });
}
document.addEventListener('keydown', event => { if (event.key === 'Escape') shrink(); });

for (const head of all('thead th')) {
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
    // Empty cells stay at the end in both orders.
    body.append(...[...body.rows].sort((a, b) => empty(a) - empty(b) || (down ? order(b, a) : order(a, b))));
  });
}
