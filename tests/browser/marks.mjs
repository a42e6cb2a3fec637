// Holds every mark of a figure, in every file that shows it, against its values: SVG, TeX and PDF have the places of the
// marks and the axes that turn values into places; the CSV file has the values themselves. What is expected is worked out
// here from the description (`NAME.json`), not by the program. `complaints` returns what differs.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, basename, join } from 'node:path';
import { inflateSync } from 'node:zlib';

const NEAR = 0.02; // pixels: coordinates are written with two decimals
const close = (a, b) => Math.abs(a[0] - b[0]) <= NEAR && Math.abs(a[1] - b[1]) <= NEAR;
const pairs = text => [...text.matchAll(/\(?(-?[\d.]+),(-?[\d.]+)\)?/g)].map(([, x, y]) => [Number(x), Number(y)]);
const plain = markup => markup.replace(/[\^_]\{([^}]*)\}/g, '$1');

// A picture as axes of its plots and groups of marks: { plots, groups: [{ kind, plot, name, marks: [{ area, points, color, opacity }] }] }.
function axes(text) {
  return text.split(';').filter(Boolean).map(one => {
    const [scale, ...ends] = one.split(' ');
    const [min, max, from, to] = ends.map(Number);
    return { log: scale === 'log', min, max, from, to };
  });
}
const plots = (x, y) => { const ys = axes(y); return axes(x).map((axis, index) => ({ x: axis, y: ys[index] })); };
const unescaped = text => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

export function readSvg(text) {
  const [, x, y] = text.match(/data-x="([^"]*)" data-y="([^"]*)"/);
  const groups = [];
  for (const line of text.split('\n')) {
    const group = line.match(/^<g class="(\w+)"(?: data-series="\d+")?(?: data-plot="(\d+)")?(?: data-name="([^"]*)")?>/);
    if (group) groups.push({ kind: group[1], plot: Number(group[2]), name: unescaped(group[3] ?? ''), marks: [] });
    const mark = line.match(/^<(polyline|polygon) points="([^"]*)"/);
    if (mark) {
      const attribute = name => line.match(new RegExp(` ${name}="([^"]*)"`))?.[1];
      groups.at(-1).marks.push({ area: mark[1] === 'polygon', points: pairs(mark[2]), color: attribute(mark[1] === 'polygon' ? 'fill' : 'stroke'), opacity: Number(attribute('fill-opacity') ?? 1) });
    }
  }
  return { plots: plots(x, y), groups };
}

const hex = channels => `#${channels.map(channel => Number(channel).toString(16).padStart(2, '0')).join('')}`;
export function readTex(text) {
  const colors = new Map([...text.matchAll(/\\definecolor\{(nr\d+)\}\{RGB\}\{(\d+),(\d+),(\d+)\}/g)].map(([, name, ...channels]) => [name, hex(channels)]));
  const groups = [];
  for (const command of text.replaceAll(/\n {2}-- /g, ' -- ').split('\n')) {
    const group = command.match(/^% (frame|legend|curve)(?: (\d+) (.*))?/);
    if (group) groups.push({ kind: group[1] === 'curve' ? 'series' : group[1], plot: Number(group[2]), name: group[3] ?? '', marks: [] });
    const mark = command.match(/^\\(draw|fill)\[(nr\d+)(?:[^\]]*?opacity=([\d.]+))?[^\]]*\] (.*);$/);
    if (mark) groups.at(-1).marks.push({ area: mark[1] === 'fill', points: pairs(mark[4]), color: colors.get(mark[2]), opacity: Number(mark[3] ?? 1) });
  }
  return { plots: plots(text.match(/^% x: (.*)$/m)[1], text.match(/^% y: (.*)$/m)[1]), groups };
}

// `names` are those of the curves by their number, which a PDF file has instead of names.
export function readPdf(bytes, names) {
  const text = bytes.toString('latin1');
  const [x, y] = text.match(/\/Keywords \(([^)]*)\)/)[1].split('|');
  const start = text.indexOf('stream\n', text.indexOf('\n4 0 obj')) + 'stream\n'.length;
  const content = inflateSync(bytes.subarray(start, start + Number(text.slice(text.indexOf('\n4 0 obj')).match(/\/Length (\d+)/)[1]))).toString('latin1');
  const groups = [];
  let [points, stroke, fill, state] = [[], '', '', '1'];
  const opacity = new Map([...text.matchAll(/\/S(\d+) (\d+) 0 R/g)].map(([, name, object]) => [name, Number(text.slice(text.indexOf(`\n${object} 0 obj`)).match(/\/ca ([\d.]+)/)?.[1] ?? 1)]));
  const rgb = words => hex(words.map(word => Math.round(255 * Number(word))));
  for (const line of content.split('\n')) {
    const words = line.split(' ');
    const operator = words.pop();
    if (operator === 'BMC') {
      const [kind, plot, curve] = words[0].slice(1).split('-');
      groups.push({ kind: kind === 'curve' ? 'series' : kind, plot: Number(plot), name: names[curve] ?? '', marks: [] });
    }
    if (operator === 'm') points = [words.map(Number)];
    if (operator === 'l') points.push(words.map(Number));
    if (operator === 'RG') stroke = rgb(words);
    if (operator === 'rg') fill = rgb(words);
    if (operator === 'gs') state = words[0].slice(2);
    if (operator === 'S') groups.at(-1).marks.push({ area: false, points, color: stroke, opacity: 1 });
    if (operator === 'f') groups.at(-1).marks.push({ area: true, points, color: fill, opacity: opacity.get(state) });
  }
  return { plots: plots(x, y), groups };
}

// The coordinate of a value on an axis.
function place({ log, min, max, from, to }, value) {
  if (log && value <= 0) return from;
  const share = log ? (Math.log(value) - Math.log(min)) / (Math.log(max) - Math.log(min)) : (value - min) / (max - min);
  return from + share * (to - from);
}
const between = (value, a, b) => Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));

// What a curve has to show in a plot: its points, intervals and band, in pixels.
function expected(curve, { x, y }, names) {
  const rounding = end => 1e-12 * Math.abs(end);
  const shown = (abscissa, ordinate) => abscissa >= x.min - rounding(x.min) && abscissa <= x.max + rounding(x.max) && (!y.log || ordinate > 0);
  const spots = curve.x.map((abscissa, index) => ({ abscissa, ordinate: curve.y[index], ends: curve.interval?.[index] })).filter(one => shown(one.abscissa, one.ordinate));
  return spots.map(({ abscissa, ordinate, ends }) => {
    const at = [place(x, abscissa), place(y, ordinate)];
    const end = value => (names ? [between(place(x, value), x.from, x.to), at[1]] : [at[0], between(place(y, value), y.from, y.to)]);
    // Arrows point at the ends of the axis beyond which an interval goes on.
    const beyond = value => (place(x, value) < x.from ? [x.from] : place(x, value) > x.to ? [x.to] : []);
    const tips = names && ends ? ends.flatMap(beyond).map(tip => [tip, at[1]]) : [];
    return { at, tips, ends: ends ? ends.map(end) : null, inside: at[1] >= y.to - NEAR && at[1] <= y.from + NEAR };
  });
}

// A marker has a white rim; its place is the middle of its corners.
const middle = points => [0, 1].map(side => points.reduce((sum, point) => sum + point[side], 0) / points.length);
const isMarker = mark => mark.area && mark.opacity === 1 && mark.color !== '#ffffff' && mark.points.length <= 16;

const isArrow = (mark, { x }) => mark.area && mark.points.length === 3 && mark.color === '#6e6e6e' && [x.from, x.to].some(edge => Math.abs(mark.points[0][0] - edge) <= NEAR);

// Whether two lists have the same members, up to rounding: what one has and the other lacks.
function unmatched(wanted, found, same) {
  const left = [...found];
  const lacking = wanted.filter(one => {
    const index = left.findIndex(other => same(one, other));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return [lacking, left];
}

function curveComplaints(curve, plot, names, all, say) {
  const points = expected(curve, plot, names);
  const arrows = names ? all.filter(mark => isArrow(mark, plot)) : [];
  const marks = all.filter(mark => !arrows.includes(mark));
  const solid = ['line', 'marked', 'plain', 'theory', 'steps', 'stacked'].includes(curve.shape);
  const rimmed = marks.filter(isMarker).map(mark => middle(mark.points));
  const inside = points.filter(point => point.inside).map(point => point.at);
  const both = (what, wanted, found, same) => {
    const [lacking, extra] = unmatched(wanted, found, same);
    if (lacking.length) say(`${lacking.length} of ${wanted.length} ${what} are not where they should be, such as ${JSON.stringify(lacking[0])}`);
    if (extra.length) say(`${extra.length} ${what} belong to no value, such as ${JSON.stringify(extra[0])}`);
  };
  both('arrows', points.flatMap(point => point.tips), arrows.map(mark => mark.points[0]), close);
  if (curve.shape === 'bars') {
    const bars = points.filter(point => point.ends).map(point => point.ends);
    const found = marks.filter(mark => mark.area).map(mark => [mark.points[0], mark.points[2]].map(([x]) => [x, middle(mark.points)[1]]));
    return both('bars', bars, found, (a, b) => close(a[0], b[0]) && close(a[1], b[1]));
  }
  if (['dots', 'marked'].includes(curve.shape)) both('markers', inside, rimmed, close);
  else if (rimmed.some(marker => !inside.some(point => close(point, marker)))) say('a marker belongs to no value');
  const lines = marks.filter(mark => !mark.area).map(mark => mark.points);
  if (curve.shape === 'dots') {
    const stop = line => curve.stops && line.length === 2 && Math.abs(line[0][0] - line[1][0]) < NEAR && inside.length && close(middle(line), inside.at(-1));
    return both('intervals', points.filter(point => point.ends).map(point => point.ends), lines.filter(line => !stop(line)), (a, b) => close(a[0], b[0]) && close(a[1], b[1]));
  }
  if (!solid) return undefined;
  // Lines go through all points and, but at the edges of the frame and in steps, through nothing else.
  const corners = curve.shape === 'steps' ? points.slice(1).map((point, index) => [point.at[0], points[index].at[1]]) : [];
  const drawn = lines.flat();
  const bar = curve.stops && inside.length ? inside.at(-1)[0] : NaN;
  const edge = ([x, y]) => Math.abs(y - plot.y.from) <= NEAR || Math.abs(y - plot.y.to) <= NEAR || Math.abs(x - bar) <= NEAR;
  const lacking = points.length > 1 ? inside.filter(point => !drawn.some(vertex => close(vertex, point))) : [];
  // A single point between two that lie beyond the frame is a line of no length, which is not drawn.
  if (lacking.length) say(`the line misses ${lacking.length} of ${inside.length} points, such as ${JSON.stringify(lacking[0])}`);
  const strange = drawn.filter(vertex => !edge(vertex) && ![...inside, ...corners].some(point => close(vertex, point)));
  if (strange.length) say(`the line has ${strange.length} corners that are no values, such as ${JSON.stringify(strange[0])}`);
  const banded = points.filter(point => point.ends);
  const bands = marks.filter(mark => mark.area && mark.opacity < 1);
  if (banded.length > 1 && curve.shape !== 'theory' && curve.shape !== 'steps') {
    const outline = [...banded.map(point => point.ends[1]), ...banded.map(point => point.ends[0]).reverse()];
    if (bands.length !== 1 || bands[0].points.length !== outline.length || !outline.every((corner, index) => close(corner, bands[0].points[index]))) say('the band is not that of the intervals');
  } else if (bands.length && !banded.length) say('there is a band without intervals');
  return undefined;
}

// A line of the theory between two values, cut at the edges of the frame; null if all of it lies beyond.
function segment(curve, { x, y }) {
  if (curve.shape === 'upright') return [[place(x, curve.x[0]), y.from], [place(x, curve.x[0]), y.to]];
  let [a, b] = curve.x.map((value, index) => [place(x, value), place(y, curve.y[index])]);
  const cut = (from, to) => {
    if (from[1] >= y.to && from[1] <= y.from) return from;
    const limit = from[1] < y.to ? y.to : y.from;
    if ((from[1] < limit) === (to[1] < limit)) return null;
    const share = (limit - from[1]) / (to[1] - from[1]);
    return [from[0] + share * (to[0] - from[0]), limit];
  };
  [a, b] = [cut(a, b), cut(b, a)];
  return a && b ? [a, b] : null;
}

// What a picture shows otherwise than its panels; `first` is the number of its first panel.
export function pictureComplaints(panels, picture, say) {
  if (picture.plots.length !== panels.length) say(`${picture.plots.length} plots for ${panels.length} panels`);
  panels.forEach((panel, index) => {
    const plot = picture.plots[index];
    if (!plot) return;
    const names = (panel.names ?? []).length > 0;
    const here = picture.groups.filter(group => group.kind === 'series' && group.plot === index);
    const known = new Map();
    for (const curve of panel.curves) {
      const marks = here.filter(group => group.name === plain(curve.label)).flatMap(group => group.marks);
      const told = text => say(`panel ${index + 1}, ${plain(curve.label) || 'a line'}: ${text}`);
      if (curve.guide) {
        const wanted = segment(curve, plot);
        const lines = picture.groups.filter(group => group.kind === 'frame').flatMap(group => group.marks).filter(mark => !mark.area && mark.points.length === 2);
        if (wanted && !lines.some(({ points: [a, b] }) => close(a, wanted[0]) && close(b, wanted[1]))) told('the line of the theory is not drawn where it should be');
        continue;
      }
      known.set(plain(curve.label), true);
      curveComplaints(curve, plot, names, marks, told);
    }
    for (const group of here) if (!known.has(group.name)) say(`panel ${index + 1}: ${group.name} is no curve of the description`);
  });
}

export function csvRows(text) {
  return text.trim().split(/\r?\n/).map(line => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).slice(0, 9).map(cell => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"')));
}

// The rows that a CSV file has to have; a number of a column differs by at most `rounding(number, column, row)`.
export function csvComplaints(panels, text, rounding, say) {
  const rows = csvRows(text).slice(1);
  const wanted = panels.flatMap(panel => panel.curves.flatMap(curve => curve.x.map((abscissa, index) => {
    const [x, y] = curve.values?.[index] ?? [abscissa, curve.y[index] ?? ''];
    const [low, high] = curve.interval?.[index] ?? ['', ''];
    const ordinate = panel.names?.length && y !== '' ? plain(panel.names[-y] ?? String(y)) : y;
    return [plain(panel.title), plain(curve.names?.[index] ?? curve.label), x, ordinate, curve.half_width?.[index] ?? '', curve.replicates?.[index] || '', low, high, curve.shape];
  })));
  if (rows.length !== wanted.length) say(`the CSV file has ${rows.length} rows for ${wanted.length} values`);
  // The page writes superscripts as text.
  const spelt = cell => cell.replace(/[\^_]\(([^)]*)\)/g, '$1').replace(/[\^_](.)/g, '$1');
  const same = (own, cell, column, row) => (typeof own === 'number' ? cell !== '' && Math.abs(own - Number(cell)) <= rounding(own, column, row) : spelt(own) === spelt(cell));
  const wrong = wanted.findIndex((row, index) => !row.every((own, column) => same(own, rows[index]?.[column] ?? 'nothing', column, row)));
  if (wrong >= 0) say(`row ${wrong + 1} of the CSV file is ${JSON.stringify(rows[wrong])}, not ${JSON.stringify(wanted[wrong])}`);
}

// The panels of a description, with the curves that are lines of the theory in the frame marked as such: those are the last
// ones, and no group has their name.
function described(file, svg) {
  const { panels = [] } = JSON.parse(readFileSync(file, 'utf8'));
  return panels.map((panel, index) => ({
    ...panel,
    curves: panel.curves.map(curve => ({ ...curve, guide: ['upright', 'theory'].includes(curve.shape) && !svg.groups.some(group => group.kind === 'series' && group.plot === index && group.name === plain(curve.label)) })),
  }));
}

// All forms of the figure that `file` describes. `change` may spoil what was read, for negative controls.
export function complaints(file, change = () => {}) {
  const [folder, name] = [dirname(file), basename(file, '.json')];
  const found = [];
  const text = readFileSync(join(folder, `${name}.svg`), 'utf8');
  const svg = readSvg(text);
  const panels = described(file, svg);
  const names = {};
  for (const [, curve, label] of text.matchAll(/<g class="series" data-series="(\d+)" data-plot="\d+" data-name="([^"]*)">/g)) names[curve] = unescaped(label);
  const whole = { 'SVG file': [svg] };
  // Where a picture is higher than a page, its parts have the panels in turn.
  const parts = ending => {
    const single = join(folder, `${name}${ending}`);
    if (existsSync(single)) return [single];
    const numbered = readdirSync(folder).filter(other => other.startsWith(`${name}-part-`) && other.endsWith(ending) && /^\d+$/.test(other.slice(`${name}-part-`.length, -ending.length)));
    return numbered.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).map(other => join(folder, other));
  };
  whole['TeX file'] = parts('.tex').map(part => readTex(readFileSync(part, 'utf8')));
  for (const size of ['column', 'text']) whole[`PDF file (${size})`] = parts(`-${size}.pdf`).map(part => readPdf(readFileSync(part), names));
  const csv = { text: readFileSync(join(folder, `${name}.csv`), 'utf8') };
  change({ panels, whole, csv });
  for (const [form, pictures] of Object.entries(whole)) {
    const say = what => found.push(`${name}: ${form}: ${what}`);
    let first = 0;
    for (const picture of pictures) {
      pictureComplaints(panels.slice(first, first + picture.plots.length), picture, say);
      first += picture.plots.length;
    }
    if (first !== panels.length) say(`${first} plots for ${panels.length} panels`);
  }
  csvComplaints(panels, csv.text, () => 0, what => found.push(`${name}: ${what}`));
  return { found, panels };
}

// What is wrong with an enlarged figure, in the page: `panel` is the panel that it shows. Lines are compared by their
// values, and what is painted by the colours of its pixels.
export function enlargedComplaints(panel) {
  const found = [];
  const { plot } = window.eval('enlarged');
  const near = (a, b) => Math.abs(a - b) <= 6e-5 * Math.abs(b);
  const [logX, logY] = [panel.x[1], panel.y[1]];
  const visible = (x, y) => (!logX || x > 0) && (!logY || panel.names?.length || y > 0);
  const lines = plot.series.map((series, index) => ({ ...series, index })).slice(1).filter(series => series.stroke && series.stroke(plot, series.index) !== 'transparent');
  const solid = panel.names?.length ? [] : panel.curves.filter(curve => !['dots', 'bars', 'upright'].includes(curve.shape));
  if (lines.length !== solid.length) found.push(`${lines.length} lines for ${solid.length} curves`);
  solid.forEach((curve, number) => {
    const wanted = curve.x.map((x, index) => [x, curve.y[index]]).filter(([x, y]) => visible(x, y));
    const column = plot.data[lines[number]?.index] ?? [];
    const drawn = plot.data[0].map((x, index) => [x, column[index]]).filter(([, y]) => y !== null && y !== undefined);
    // Abscissae are those of steps once.
    if (drawn.length !== new Set(wanted.map(([x]) => x.toPrecision(6))).size || !drawn.every(([x, y]) => wanted.some(point => near(point[0], x) && near(point[1], y)))) found.push(`${curve.label}: the line has other points`);
  });
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [plot.ctx.canvas.width, plot.ctx.canvas.height];
  const copy = canvas.getContext('2d', { willReadFrequently: true });
  // What nothing is painted on is transparent, and would pass for black.
  copy.fillStyle = '#fff';
  copy.fillRect(0, 0, canvas.width, canvas.height);
  copy.drawImage(plot.ctx.canvas, 0, 0);
  const apart = (a, b) => Math.max(...a.map((value, index) => Math.abs(value - b[index])));
  const channels = color => [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
  const painted = panel.curves.filter(curve => curve.shape === 'dots');
  const colors = painted.map(curve => channels(curve.color));
  // Thin lines lie between pixels.
  const colored = (x, y, among = colors, most = 70) => {
    const { data } = copy.getImageData(Math.round(x) - 1, Math.round(y) - 1, 3, 3);
    const pixels = Array.from({ length: 9 }, (_, index) => [...data.slice(4 * index, 4 * index + 3)]);
    return among.some(color => pixels.some(pixel => apart(pixel, color) < most));
  };
  const { left, top, width, height } = plot.bbox;
  const inside = ([x, y]) => x > left + 3 && x < left + width - 3 && y > top + 3 && y < top + height - 3;
  const at = (x, y) => [plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)];
  // Dots and their intervals, which cover what lies below.
  const taken = painted.flatMap(curve => curve.x.map((x, index) => [x, curve.y[index], curve.interval?.[index] ?? []]).filter(([x, y]) => visible(x, y))
    .flatMap(([x, y, ends]) => [at(x, y), ...ends.map(end => (panel.names?.length ? at(Math.max(end, logX ? 1e-300 : end), y) : at(x, Math.max(end, logY ? 1e-300 : end))))].map(end => [at(x, y), end])));
  for (const curve of painted) {
    const points = curve.x.map((x, index) => [x, curve.y[index], index]).filter(([x, y]) => visible(x, y));
    const dots = points.map(([x, y]) => at(x, y)).filter(inside);
    const lacking = dots.filter(dot => !colored(...dot));
    if (lacking.length) found.push(`${curve.label}: ${lacking.length} of ${dots.length} dots are not painted`);
    // No line joins the dots: some place between two of them, far from all dots and intervals, has another colour.
    const free = spot => taken.every(([from, to]) => {
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
      const along = Math.min(Math.max(((spot[0] - from[0]) * (to[0] - from[0]) + (spot[1] - from[1]) * (to[1] - from[1])) / length ** 2, 0), 1);
      return Math.hypot(spot[0] - from[0] - along * (to[0] - from[0]), spot[1] - from[1] - along * (to[1] - from[1])) > 9;
    });
    const spots = dots.slice(1).flatMap((dot, index) => [0.25, 0.5, 0.75].map(share => [0, 1].map(side => share * dot[side] + (1 - share) * dots[index][side]))).filter(free);
    if (spots.length > 4 && spots.every(spot => colored(...spot, [channels(curve.color)], 20))) found.push(`${curve.label}: a line joins the dots`);
    for (const [x, y, index] of points) {
      for (const end of curve.interval?.[index] ?? []) {
        const [from, to] = [at(x, y), panel.names?.length ? at(end, y) : at(x, end)];
        const half = [0, 1].map(side => 0.5 * (from[side] + to[side]));
        if (visible(panel.names?.length ? end : x, panel.names?.length ? y : end) && inside(half) && Math.hypot(to[0] - from[0], to[1] - from[1]) > 16 && !colored(...half)) found.push(`${curve.label}: the interval of point ${index + 1} is not painted`);
      }
    }
  }
  return found;
}

// The places of a picture where marks are, to look at in its pixels: markers and corners of lines; of parts on top of each other,
// which have no markers, the insides, because the thin lines between them have no colour of their own.
export function spotsOf(picture) {
  return picture.groups.filter(group => group.kind === 'series').flatMap(({ marks }) => {
    const part = marks.find(mark => mark.area && !isMarker(mark) && mark.points.length > 4);
    if (part && !marks.some(isMarker)) return insides(part.points);
    return marks.flatMap(mark => (isMarker(mark) ? [middle(mark.points)] : mark.area ? [] : mark.points));
  });
}

// Between the upper and the lower edge of an area, where these are at least 6 px apart.
function insides(points) {
  const pairs = points.slice(0, points.length / 2).map((point, i) => [point, points[points.length - 1 - i]]);
  return pairs.filter(([[, y], [, z]]) => Math.abs(y - z) >= 6).map(middle);
}

// In the page: the share of these places at which a PNG file has another colour than the SVG file, as the browser draws it.
// Places that the browser leaves white, such as gaps of dashes, do not count. Pictures of other proportions differ everywhere.
export async function shareOfOtherPixels({ svg, png, spots }) {
  const drawn = async (source, width, height) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width ?? picture.naturalWidth, height ?? picture.naturalHeight];
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return context;
  };
  const own = await drawn(`data:image/png;base64,${png}`);
  const { width, height } = own.canvas;
  const other = await drawn(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width, height);
  const [, wide, high] = svg.match(/viewBox="0 0 ([\d.]+) ([\d.]+)"/).map(Number);
  if (Math.abs(wide / high / (width / height) - 1) > 0.01) return 1;
  const scale = width / wide;
  const apart = (a, b) => Math.max(...[0, 1, 2].map(channel => Math.abs(a[channel] - b[channel])));
  // Edges are smoothed in two ways, so that a neighbour of the pixel counts, too.
  const places = spots.map(([x, y]) => [Math.round(x * scale), Math.round(y * scale)]);
  const colored = places.filter(([x, y]) => apart(other.getImageData(x, y, 1, 1).data, [255, 255, 255]) > 100);
  const different = colored.filter(([x, y]) => {
    const { data } = own.getImageData(x - 1, y - 1, 3, 3);
    const wanted = other.getImageData(x, y, 1, 1).data;
    return !Array.from({ length: 9 }, (_, index) => data.slice(4 * index, 4 * index + 3)).some(pixel => apart(pixel, wanted) < 48);
  });
  return different.length / Math.max(colored.length, 1);
}
