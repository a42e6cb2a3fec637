'use strict';
// Enlarged figures, drawn from their values. `live` fills `box` and returns what ends it.
const digits = (value, most) => (value === 0 ? '0' : (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4 ? value.toExponential(most - 1) : String(Number(value.toPrecision(most)))));
// A mean and half its interval, both to the second significant digit of the half width, as in tables.
function interval(mean, half) {
  if (half === null || half === undefined) return digits(mean, 5);
  if (half <= 1e-12 * Math.abs(mean)) return `${digits(mean, 5)} ± 0`;
  const places = Math.min(Math.max(1 - Math.floor(Math.log10(half)), 0), 12);
  return half >= 1e7 || Math.abs(mean) >= 1e7 || places > 8 ? `${digits(mean, 5)} ± ${digits(half, 2)}` : `${mean.toFixed(places)} ± ${half.toFixed(places)}`;
}
// Markup with superscripts and subscripts as elements.
const rich = markup => make('span', {}, ...markup.split(/([\^_]\{[^}]*\})/).map(part => (/^[\^_]\{/.test(part) ? make(part[0] === '^' ? 'sup' : 'sub', {}, part.slice(2, -1)) : part)));
const axisText = value => (value === null ? '' : digits(value, 6).replace(/(\d)(?=(\d{3}){2,}$)/, '$1'));

function live(box, panels, figure) {
  let panel = panels[0];
  const shown = new Map(); // by name of the curve, whether it is shown
  let [logX, logY, seeds, reference] = [panel.x[1], panel.y[1], false, ''];
  let plot = null;
  let at = null; // the abscissa under the cursor, or the row beside a name
  const tools = make('div', { class: 'tools' });
  const canvas = make('div', { class: 'canvas' });
  const rows = make('tbody');
  const place = make('p', { 'aria-live': 'polite' });
  const first = make('th', { scope: 'col' });
  const list = make('div', { class: 'values', tabindex: 0, role: 'region', 'aria-label': 'Values at the cursor' }, place,
    make('table', {}, make('thead', {}, make('tr', {}, first, make('th', { scope: 'col' }, 'Value'), make('th', { scope: 'col' }, 'Seeds'))), rows));
  box.append(make('div', { class: 'live' }, tools, canvas, list));

  // The curves of the panel, divided by the reference where one is chosen.
  const grid = curve => panel.grids[curve.grid];
  function curves() {
    const base = panel.curves.find(curve => plain(curve.label) === reference);
    if (!base) return panel.curves;
    const known = new Map(grid(base).map((x, index) => [x, base.y[index]]));
    return panel.curves.map(curve => {
      const by = values => values?.map((value, index) => {
        const below = known.get(grid(curve)[index]);
        return value === null || below === undefined || below === null || below === 0 ? null : value / below;
      });
      return { ...curve, y: by(curve.y), half: by(curve.half), seeds: curve.seeds?.map(by) };
    });
  }

  function draw() {
    plot?.destroy();
    rows.replaceChildren();
    first.textContent = panel.names ? 'Row' : 'Curve';
    if (panel.names) drawNames(); else drawCurves();
  }
  const axis = (label, more) => ({ label: plain(label), stroke: '#222', grid: { stroke: '#e8e8e8', width: 1 }, ticks: { stroke: '#999', width: 1, size: 6 }, values: (_, ticks) => ticks.map(axisText), size: 64, labelSize: 24, ...more });
  const scale = log => (log ? { time: false, distr: 3 } : { time: false });
  const paint = given => {
    const width = Math.max(280, canvas.clientWidth || 700);
    const height = Math.max(260, Math.min(innerHeight - 190, 0.72 * width), given.least ?? 0);
    return new uPlot({ width, height, legend: { show: false }, cursor: { drag: { x: true, y: true, uni: 30 }, points: { show: false } }, ...given }, given.data, canvas);
  };
  // The button of a curve in the list of values, which hides and shows it.
  const switched = (curve, text, flip) => {
    const name = plain(curve.label);
    const button = make('button', { type: 'button', 'aria-pressed': String(shown.get(name) ?? true) }, make('span', { class: 'swatch', style: `border-color: ${curve.color}` }), text);
    button.addEventListener('click', () => {
      const now = button.getAttribute('aria-pressed') !== 'true';
      shown.set(name, now);
      button.setAttribute('aria-pressed', String(now));
      flip(now);
    });
    return button;
  };
  const entry = (curve, button, more) => {
    const [value, number] = [make('td', { class: 'number' }), make('td', { class: 'number' })];
    rows.append(make('tr', { 'data-curve': plain(curve.label), ...more }, make('th', { scope: 'row' }, button), value, number));
    return { curve, value, number };
  };

  // Dots with intervals beside names. They are painted here: uPlot knows no intervals of abscissae.
  function drawNames() {
    const { names } = panel;
    const half = (curve, index) => curve.half?.[index] ?? 0;
    const visible = x => !logX || x > 0;
    const measured = panel.curves.filter(curve => !curve.guide);
    const ends = measured.flatMap(curve => grid(curve).flatMap((x, index) => [x - half(curve, index), x, x + half(curve, index)])).filter(visible);
    const dots = ({ ctx, bbox, valToPos, scales }) => {
      const unit = devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      for (const curve of panel.curves.filter(({ label }) => shown.get(plain(label)) ?? true)) {
        Object.assign(ctx, { fillStyle: curve.guide ? '#cdcdcd' : curve.color, strokeStyle: curve.color, lineWidth: 1.5 * unit });
        grid(curve).forEach((x, index) => {
          const [from, at, to] = [-1, 0, 1].map(side => x + side * half(curve, index)).map(end => valToPos(visible(end) ? end : scales.x.min, 'x', true));
          const row = valToPos(curve.y[index], 'y', true);
          if (curve.guide) { ctx.fillRect(from, row - 5 * unit, to - from, 10 * unit); return; }
          ctx.beginPath();
          ctx.moveTo(from, row);
          ctx.lineTo(to, row);
          ctx.stroke();
          ctx.beginPath();
          ctx.arc(at, row, 4 * unit, 0, 2 * Math.PI);
          ctx.fill();
        });
      }
      ctx.restore();
    };
    plot = paint({
      data: [ends.length ? [Math.min(...ends), Math.max(...ends)] : [0.1, 1], [0, 1 - names.length]],
      least: 20 * names.length + 90,
      scales: { x: scale(logX), y: { time: false, range: [0.5 - names.length, 0.5] } },
      axes: [axis(panel.x[0], { size: 40 }), axis(panel.y[0], { splits: () => names.map((_, row) => -row), values: (_, ticks) => ticks.map(tick => plain(names[-tick])), size: 20 + 7 * Math.max(...names.map(name => name.length)), labelSize: panel.y[0] ? 24 : 0 })],
      series: [{}, { stroke: 'transparent', points: { show: false } }],
      hooks: { draw: [dots], setCursor: [self => { if (self.cursor.top >= 0) tellRow(Math.round(-self.posToVal(self.cursor.top, 'y'))); }] },
    });
    names.forEach((name, row) => measured.forEach(curve => curve.y.forEach((y, index) => {
      if (-y !== row) return;
      const text = measured.length > 1 ? `${plain(name)}: ${plain(curve.label)}` : plain(name);
      const button = switched(curve, text, () => { draw(); rows.querySelector(`tr[data-row="${row}"] button`).focus(); });
      const { value, number } = entry(curve, button, { 'data-row': row, 'data-name': plain(name) });
      value.textContent = interval(grid(curve)[index], curve.half?.[index]);
      number.textContent = curve.n ?? '';
    })));
    tellRow(at ?? 0);
  }
  function tellRow(row) {
    at = Math.min(Math.max(row, 0), panel.names.length - 1);
    place.textContent = `Row ${plain(panel.names[at])}`;
    all('tr', rows).forEach(tr => tr.classList.toggle('now', Number(tr.dataset.row) === at));
  }

  function drawCurves() {
    const drawn = curves();
    const xs = [...new Set(drawn.flatMap(curve => grid(curve)))].filter(x => !logX || x > 0).sort((a, b) => a - b);
    const index = new Map(xs.map((x, place) => [x, place]));
    const spread = (curve, values) => {
      const column = new Array(xs.length).fill(undefined);
      grid(curve).forEach((x, place) => {
        const value = values[place];
        if (index.has(x) && value !== null && value !== undefined && (!logY || value > 0)) column[index.get(x)] = value;
      });
      return column;
    };
    const [series, columns, bands] = [[{}], [xs], []];
    const edge = { stroke: 'transparent', points: { show: false }, spanGaps: true };
    const entries = [];
    for (const curve of drawn) {
      const name = plain(curve.label);
      const on = shown.get(name) ?? true;
      const own = [];
      if (seeds && curve.seeds) {
        for (const seed of curve.seeds) {
          own.push(series.length);
          series.push({ show: on, stroke: curve.color, alpha: 0.35, width: 1, points: { show: false }, spanGaps: true });
          columns.push(spread(curve, seed));
        }
      } else if (curve.half) {
        own.push(series.length, series.length + 1);
        series.push({ ...edge, show: on }, { ...edge, show: on });
        bands.push({ series: [series.length - 2, series.length - 1], fill: `${curve.color}2e` });
        columns.push(spread(curve, curve.y.map((value, place) => (value === null || curve.half[place] === null ? null : value + curve.half[place]))));
        columns.push(spread(curve, curve.y.map((value, place) => (value === null || curve.half[place] === null ? null : value - curve.half[place]))));
      }
      own.push(series.length);
      series.push({ show: on, stroke: curve.color, width: 2, dash: curve.dash, spanGaps: true, points: { show: !curve.guide && curve.y.length <= 40, size: 5 } });
      columns.push(spread(curve, curve.y));
      const button = switched(curve, rich(curve.label), now => own.forEach(which => plot.setSeries(which, { show: now })));
      entries.push(entry(curve, button));
    }
    plot = paint({
      data: columns, series, bands,
      scales: { x: scale(logX), y: scale(logY) },
      axes: [axis(panel.x[0], { size: 40 }), axis(reference ? `${panel.y[0]}, relative to ${reference}` : panel.y[0])],
      hooks: { setCursor: [self => { if (self.cursor.left >= 0) tell(self.posToVal(self.cursor.left, 'x'), entries); }] },
    });
    const end = xs[xs.length - 1];
    tell(at ?? end, entries);
  }

  // The value of every curve at the abscissa that is nearest to x among all of its own.
  function tell(x, entries) {
    const far = other => (logX && x > 0 ? Math.abs(Math.log(other / x)) : Math.abs(other - x));
    const everywhere = entries.flatMap(({ curve }) => grid(curve)).filter(other => !logX || other > 0);
    if (!everywhere.length) return;
    at = everywhere.reduce((best, other) => (far(other) < far(best) ? other : best));
    place.textContent = `At ${plain(panel.x[0])} = ${digits(at, 7)}`;
    for (const { curve, value, number } of entries) {
      const index = grid(curve).indexOf(at);
      const found = index >= 0 ? curve.y[index] : null;
      value.textContent = found === null || found === undefined ? '–' : interval(found, curve.half?.[index]);
      number.textContent = found === null || found === undefined || !curve.n ? '' : curve.n;
    }
  }

  const toggle = (label, get, flip) => {
    const button = make('button', { type: 'button', 'aria-pressed': String(get()) }, label);
    button.addEventListener('click', () => { flip(); button.setAttribute('aria-pressed', String(get())); draw(); });
    return button;
  };
  const chooser = (label, options, act) => make('label', {}, `${label} `, make('select', { onchange: event => act(event.target.value) },
    ...options.map(([value, text]) => make('option', { value }, text))));
  function arm() {
    tools.replaceChildren();
    if (panels.length > 1) {
      tools.append(chooser('Panel', panels.map((one, index) => [index, one.title || `panel ${index + 1}`]), value => {
        panel = panels[value];
        [logX, logY, seeds, reference, at] = [panel.x[1], panel.y[1], false, '', null];
        arm();
        tools.querySelector('select').value = value;
        draw();
      }));
    }
    tools.append(toggle('Logarithmic x', () => logX, () => { logX = !logX; }));
    if (!panel.names) tools.append(toggle('Logarithmic y', () => logY, () => { logY = !logY; }));
    if (panel.curves.some(curve => curve.seeds)) tools.append(toggle('Single seeds', () => seeds, () => { seeds = !seeds; }));
    if (!panel.names) tools.append(chooser('Relative to', [['', 'nothing'], ...panel.curves.filter(curve => !curve.guide).map(curve => [plain(curve.label), plain(curve.label)])], value => { reference = value; draw(); }));
    tools.append(make('button', { type: 'button', onclick: () => draw() }, 'Whole range'),
      make('span', {}, 'Drag to zoom; arrow keys move the cursor.'));
  }
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `${figure.querySelector('h3').textContent}: arrow keys move the cursor`);
  canvas.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !plot) return;
    event.preventDefault();
    if (panel.names) { tellRow(at + step); return; }
    const xs = plot.data[0];
    const next = xs[Math.min(Math.max(xs.indexOf(at) + step, 0), xs.length - 1)];
    plot.setCursor({ left: plot.valToPos(next, 'x'), top: 10 });
  });
  const resized = () => draw();
  addEventListener('resize', resized);
  arm();
  draw();
  return { end() { removeEventListener('resize', resized); plot?.destroy(); }, get plot() { return plot; } };
}
