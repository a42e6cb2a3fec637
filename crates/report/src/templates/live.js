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
  let [logX, logY, reference, intervals] = [panel.x[1], panel.y[1], '', true];
  let plot = null;
  let at = null; // the abscissa under the cursor, or the row beside a name
  let span = null; // the part of the abscissae that is zoomed into, in all panels with this axis
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
    const base = reference && panel.curves.find(curve => plain(curve.label) === reference);
    if (!base) return panel.curves;
    const known = new Map(grid(base).map((x, index) => [x, base.y[index]]));
    return panel.curves.map(curve => {
      const below = index => known.get(grid(curve)[index]) || null;
      const by = values => values?.map((value, index) => (value === null || !below(index) ? null : value / below(index)));
      const ends = curve.ends?.map((pair, index) => (pair && below(index) ? pair.map(end => end / below(index)) : null));
      return { ...curve, y: by(curve.y), half: by(curve.half), ends };
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
    const button = make('button', { type: 'button', 'aria-pressed': String(shown.get(name) ?? true) }, make('span', { class: `swatch ${curve.shape}`, style: `border-color: ${curve.color}; border-top-style: ${curve.dash ? (curve.dash[0] <= 3 ? 'dotted' : 'dashed') : 'solid'}` }), text);
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

  const on = curve => shown.get(plain(curve.label)) ?? true;
  // What is painted here, because uPlot draws lines through one ordinate for each abscissa: dots with intervals, of
  // abscissae beside names and else of ordinates, bars, upright lines, and bars where curves stop.
  const painter = drawn => ({ ctx, bbox, valToPos, scales }) => {
    const unit = devicePixelRatio;
    const at = (value, key, log) => valToPos(log && value <= 0 ? scales[key].min : value, key, true);
    const line = (...points) => {
      ctx.beginPath();
      points.forEach(([x, y], index) => (index ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.setLineDash([]);
    // Dots lie on top.
    const layer = curve => ['upright', 'bars', 'dots'].indexOf(curve.shape);
    for (const curve of drawn.filter(on).sort((a, b) => layer(a) - layer(b))) {
      Object.assign(ctx, { fillStyle: curve.shape === 'bars' ? '#cdcdcd' : curve.color, strokeStyle: curve.color, lineWidth: 1.5 * unit });
      const last = curve.y.length - 1;
      grid(curve).forEach((abscissa, index) => {
        const x = at(abscissa, 'x', logX);
        if (curve.shape === 'upright') {
          ctx.setLineDash((curve.dash ?? []).map(length => length * unit));
          line([x, bbox.top], [x, bbox.top + bbox.height]);
          ctx.setLineDash([]);
          return;
        }
        const y = at(curve.y[index], 'y', logY && !panel.names);
        const ends = curve.ends?.[index]?.map(end => (panel.names ? [at(end, 'x', logX), y] : [x, at(end, 'y', logY)]));
        if (curve.shape === 'bars' && ends) ctx.fillRect(ends[0][0], y - 5 * unit, ends[1][0] - ends[0][0], 10 * unit);
        if (curve.shape === 'dots') {
          if (ends && intervals) line(...ends);
          ctx.beginPath();
          ctx.arc(x, y, 4 * unit, 0, 2 * Math.PI);
          ctx.fill();
        }
        if (curve.stops && index === last) line([x, y - 6 * unit], [x, y + 6 * unit]);
      });
    }
    ctx.restore();
  };
  // What a point stands for, wherever it is drawn.
  const told = (curve, index) => curve.values?.[index] ?? [grid(curve)[index], curve.y[index]];

  function drawNames() {
    const { names } = panel;
    const visible = x => !logX || x > 0;
    const ends = panel.curves.flatMap(curve => [...grid(curve), ...(curve.shape === 'bars' ? [] : (curve.ends ?? []).flatMap(pair => pair ?? []))]).filter(visible);
    plot = paint({
      data: [ends.length ? [Math.min(...ends), Math.max(...ends)] : [0.1, 1], [0, 1 - names.length]],
      least: 20 * names.length + 90,
      scales: { x: scale(logX), y: { time: false, range: [0.5 - names.length, 0.5] } },
      axes: [axis(panel.x[0], { size: 40 }), axis(panel.y[0], { splits: () => names.map((_, row) => -row), values: (_, ticks) => ticks.map(tick => plain(names[-tick])), size: 20 + 7 * Math.max(...names.map(name => name.length)), labelSize: panel.y[0] ? 24 : 0 })],
      series: [{}, { stroke: 'transparent', points: { show: false } }],
      hooks: { draw: [painter(panel.curves)], setCursor: [self => { if (self.cursor.top >= 0) tellRow(Math.round(-self.posToVal(self.cursor.top, 'y'))); }] },
    });
    const measured = panel.curves.filter(curve => curve.shape === 'dots');
    names.forEach((name, row) => measured.forEach(curve => curve.y.forEach((y, index) => {
      if (-y !== row) return;
      const text = measured.length > 1 ? `${plain(name)}: ${plain(curve.label)}` : plain(name);
      const button = switched(curve, text, () => { draw(); rows.querySelector(`tr[data-row="${row}"] button`).focus(); });
      const { value, number } = entry(curve, button, { 'data-row': row, 'data-name': plain(name) });
      value.textContent = interval(told(curve, index)[0], curve.half?.[index]);
      number.textContent = count(curve, index);
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
    const visible = y => y !== null && y !== undefined && (!logY || y > 0);
    const spread = (curve, values) => {
      const column = new Array(xs.length).fill(undefined);
      grid(curve).forEach((x, place) => { if (index.has(x) && visible(values[place])) column[index.get(x)] = values[place]; });
      return column;
    };
    const [series, columns, bands] = [[{}], [xs], []];
    const edge = { stroke: 'transparent', points: { show: false }, spanGaps: true };
    // Dots and intervals count for the range of ordinates, intervals no further than the picture shows them.
    const ordinates = drawn.flatMap(curve => curve.y).filter(visible);
    const [least, most] = [Math.min(...ordinates), Math.max(...ordinates)];
    const [floor, ceiling] = logY ? [least / 2, most * 2] : [2 * least - most, 2 * most - least];
    const room = xs.map(() => []);
    for (const curve of drawn.filter(on)) {
      grid(curve).forEach((x, place) => {
        const ends = (curve.ends?.[place] ?? []).map(end => Math.min(Math.max(end, floor), ceiling));
        room[index.get(x)]?.push(...[...ends, ...(curve.shape === 'dots' ? [curve.y[place]] : [])].filter(visible));
      });
    }
    for (const pick of [Math.min, Math.max]) {
      series.push(edge);
      columns.push(room.map(all => (all.length ? pick(...all) : null)));
    }
    const entries = [];
    for (const curve of drawn) {
      const own = [];
      const add = (options, values) => {
        own.push(series.length);
        series.push({ show: on(curve), ...options });
        columns.push(spread(curve, values));
      };
      if (!['dots', 'bars', 'upright'].includes(curve.shape)) {
        if (curve.ends && (intervals || curve.shape === 'stacked')) {
          bands.push({ series: [series.length, series.length + 1], fill: curve.color + (curve.shape === 'stacked' ? 'b3' : '2e') });
          for (const end of [1, 0]) add({ ...edge, auto: false }, curve.ends.map(pair => pair?.[end]));
        }
        const paths = curve.shape === 'steps' ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
        add({ stroke: curve.color, width: 2, dash: curve.dash, spanGaps: true, points: { show: curve.shape === 'marked', size: 5 }, ...paths }, curve.y);
      }
      // Axes and margins have no name.
      if (!curve.label) continue;
      const flip = now => { own.forEach(which => plot.setSeries(which, { show: now })); plot.redraw(); };
      const each = curve.names ?? [''];
      each.forEach((name, point) => {
        const button = switched(curve, name ? plain(name) : rich(curve.label), flip);
        const more = name ? { 'data-point': plain(name), 'data-x': told(curve, point)[0] } : {};
        entries.push({ ...entry(curve, button, more), point: name ? point : null });
      });
    }
    const end = xs[xs.length - 1];
    const kept = span && span[0] < end && span[1] > xs[0] ? span : null;
    const partial = (min, max) => min > xs[0] || max < end;
    const zoomed = ({ min, max }) => { span = partial(min, max) ? [min, max] : null; };
    // The whole of a logarithmic axis ends at powers of 10, a part of it where the reader ends it.
    const range = (_, min, max) => (partial(min, max) ? [min, max] : uPlot.rangeLog(min, max, 10, true));
    plot = paint({
      data: columns, series, bands,
      scales: { x: logX ? { ...scale(true), range } : scale(false), y: scale(logY) },
      axes: [axis(panel.x[0], { size: 40 }), axis(reference ? `${panel.y[0]}, relative to ${reference}` : panel.y[0])],
      hooks: { draw: [painter(drawn)], setScale: [(self, key) => { if (key === 'x') zoomed(self.scales.x); }], setCursor: [self => { if (self.cursor.left >= 0) tell(self.posToVal(self.cursor.left, 'x'), entries); }] },
    });
    if (kept) plot.setScale('x', { min: kept[0], max: kept[1] });
    tell(at ?? end, entries);
  }

  // The value of every curve at the abscissa that is nearest to x among all of its own.
  function tell(x, entries) {
    const far = other => (logX && x > 0 ? Math.abs(Math.log(other / x)) : Math.abs(other - x));
    const everywhere = entries.flatMap(({ curve }) => grid(curve)).filter(other => !logX || other > 0);
    if (!everywhere.length) return;
    at = everywhere.reduce((best, other) => (far(other) < far(best) ? other : best));
    place.textContent = `At ${plain(panel.x[0])} = ${digits(at, 7)}`;
    for (const { curve, value, number, point } of entries) {
      // A point of its own name is told wherever the cursor is, and stands out where it is.
      const index = point ?? grid(curve).indexOf(at);
      if (point !== null) value.parentNode.classList.toggle('now', grid(curve)[index] === at);
      const found = index >= 0 ? told(curve, index)[curve.shape === 'upright' ? 0 : 1] : null;
      value.textContent = found === null || found === undefined ? '\u2013' : interval(found, curve.half?.[index]);
      number.textContent = found === null || found === undefined ? '' : count(curve, index);
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
        const before = panel;
        panel = panels[value];
        // Panels over the same axis show the same part of it.
        if (panel.names || plain(panel.x[0]) !== plain(before.x[0]) || logX !== panel.x[1]) [span, at] = [null, null];
        [logX, logY, reference] = [panel.x[1], panel.y[1], ''];
        arm();
        tools.querySelector('select').value = value;
        draw();
      }));
    }
    tools.append(toggle('Logarithmic x', () => logX, () => { logX = !logX; span = null; }));
    if (!panel.names) tools.append(toggle('Logarithmic y', () => logY, () => { logY = !logY; }));
    if (panel.curves.some(curve => curve.ends && !['stacked', 'bars'].includes(curve.shape))) tools.append(toggle('Intervals', () => intervals, () => { intervals = !intervals; }));
    if (!panel.names) tools.append(chooser('Relative to', [['', 'nothing'], ...panel.curves.filter(curve => ['line', 'marked', 'plain'].includes(curve.shape)).map(curve => [plain(curve.label), plain(curve.label)])], value => { reference = value; draw(); }));
    tools.append(make('button', { type: 'button', onclick: () => { span = null; draw(); } }, 'Whole range'),
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
