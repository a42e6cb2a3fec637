'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = id => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children);
  return element;
};
const say = text => { one('said').textContent = text; clearTimeout(say.timer); say.timer = setTimeout(() => { one('said').textContent = ''; }, 2500); };
const save = (name, type, content) => {
  const address = URL.createObjectURL(new Blob([content], { type }));
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};
const quoted = cells => cells.map(cell => (/[",\n\r]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(',');

// The address holds the state: `#anchor?verdict=agrees&mark=FOGD`.
const FACETS = ['paper', 'theorem', 'verdict', 'whose', 'class', 'dataset', 'learner'];
const state = { anchor: '', q: '', mark: '' };
function read() {
  const [anchor, query = ''] = decodeURI(location.hash.slice(1)).split('?');
  const given = new URLSearchParams(location.hash.includes('?') ? location.hash.split('?').slice(1).join('?') : query);
  state.anchor = anchor;
  for (const key of ['q', 'mark', ...FACETS]) state[key] = given.get(key) ?? '';
}
function write() {
  const given = ['q', 'mark', ...FACETS].filter(key => state[key]).map(key => `${key}=${encodeURIComponent(state[key])}`);
  history.replaceState(null, '', `#${state.anchor}${given.length ? `?${given.join('&')}` : ''}`);
}

// Names of curves without the number of their replicates.
const named = name => name.replace(/\s*\(\d+\/\d+\)$/, '');
// Words as they are typed: letters by their names, without the marks of powers, indices and roots.
const LETTERS = { α: 'alpha', β: 'beta', γ: 'gamma', δ: 'delta', ε: 'epsilon', η: 'eta', θ: 'theta', κ: 'kappa', λ: 'lambda', μ: 'mu', ν: 'nu', ρ: 'rho', σ: 'sigma', τ: 'tau', φ: 'phi', ψ: 'psi', '−': '-', '≤': '<=', '≥': '>=' };
const typed = text => text.toLowerCase().replace(/[α-ψ−≤≥]/g, sign => LETTERS[sign] ?? sign).replace(/sqrt|[\^_(){}]/g, '');
const exhibits = all('.exhibit').map(figure => {
  const series = all('.series', figure).map(group => named(group.dataset.name ?? ''));
  const told = all('.claims, .caption, h3', figure).map(part => part.textContent).join(' ');
  const setup = all('.setup tr', figure).filter(row => /^data/i.test(row.cells[0].textContent)).map(row => row.cells[1].textContent.split(/[,;]/)[0].trim());
  const own = {
    paper: [], dataset: setup, learner: series, class: [], whose: [],
    theorem: told.match(/\b(?:Theorem|Corollary|Lemma|Proposition) \d+/g) ?? [],
    verdict: all('.claims li', figure).map(item => item.dataset.verdict),
  };
  return { figure, own, words: typed(figure.textContent), rows: all('.scroll > table > tbody > tr', figure) };
});
const values = key => [...new Set(exhibits.flatMap(({ own, rows }) => [...own[key], ...rows.map(row => row.dataset[key])]))]
  .filter(Boolean).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

function choose() {
  const wanted = FACETS.filter(key => state[key]);
  const words = typed(state.q).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { figure, own, words: text, rows } of exhibits) {
    const whole = words.every(word => text.includes(word));
    // Rows are chosen where they have what is asked for; an exhibit without such rows as a whole.
    const asked = wanted.filter(key => rows.some(row => row.dataset[key] !== undefined));
    let left = 0;
    const heading = typed(figure.querySelector('h3')?.textContent ?? '');
    for (const row of rows) {
      const kept = asked.every(key => row.dataset[key] === state[key])
        && words.every(word => heading.includes(word) || typed(row.textContent).includes(word));
      row.hidden = !kept;
      left += kept;
    }
    const others = wanted.filter(key => !asked.includes(key));
    const fits = others.every(key => own[key].includes(state[key]));
    const kept = fits && (rows.length ? left > 0 : whole);
    if (!kept && rows.length === 0 && whole && !wanted.length) shown += 0;
    figure.hidden = (wanted.length > 0 || words.length > 0) && !kept;
    shown += !figure.hidden;
    const link = figure.id && document.querySelector(`.contents nav li a[href="#${CSS.escape(figure.id)}"]`);
    if (link) link.parentElement.hidden = figure.hidden;
  }
  for (const section of all('.shelf:has(.exhibit)')) section.hidden = !section.querySelector('.exhibit:not([hidden])');
  if (one('nothing')) one('nothing').hidden = shown > 0;
  if (one('all')) one('all').hidden = !wanted.length && !words.length && !state.mark;
  for (const key of FACETS) {
    const select = one(`facet-${key}`);
    if (select) select.value = state[key];
  }
  if (one('find') && one('find') !== document.activeElement) one('find').value = state.q;
}

// A learner that was clicked stands out in every figure and table, also on other pages.
function mark() {
  for (const svg of all('.picture svg')) {
    let found = false;
    const marked = new Set(all('.series', svg).filter(group => named(group.dataset.name ?? '') === state.mark).map(group => group.dataset.series));
    for (const part of all('.series, .legend', svg)) {
      const is = state.mark !== '' && marked.has(part.dataset.series);
      part.classList.toggle('marked', is);
      if (part.classList.contains('legend')) part.setAttribute('aria-pressed', String(is));
      found ||= is;
    }
    svg.classList.toggle('chosen', found);
  }
  for (const row of all('tr[data-learner]')) row.classList.toggle('marked', row.dataset.learner === state.mark);
  const note = one('marked');
  if (note) {
    note.hidden = !state.mark;
    note.replaceChildren(make('b', {}, state.mark), ' stands out. ', make('button', { type: 'button', onclick: () => { state.mark = ''; update(); } }, 'Undo'));
  }
  for (const link of all('.top nav a')) link.hash = state.mark ? `#?mark=${encodeURIComponent(state.mark)}` : '';
}
function update() { write(); choose(); mark(); }
function jump() {
  read(); choose(); mark();
  const target = state.anchor && one(state.anchor);
  all('.exhibit.now').forEach(figure => figure.classList.remove('now'));
  if (target) { target.classList.add('now'); target.scrollIntoView(); }
}

if (one('facets')) {
  for (const key of FACETS) {
    const found = values(key);
    if (found.length < 2) continue;
    const select = make('select', { id: `facet-${key}`, onchange: event => { state[key] = event.target.value; update(); } }, make('option', { value: '' }, 'all'),
      ...found.map(value => make('option', { value }, value)));
    one('facets').append(make('label', {}, `${key[0].toUpperCase()}${key.slice(1)} `, select));
  }
  one('find').addEventListener('input', event => { state.q = event.target.value; update(); });
  one('all').addEventListener('click', () => { for (const key of ['q', 'mark', ...FACETS]) state[key] = ''; one('find').value = ''; update(); });
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const link = document.querySelector(`.contents nav li a[href="#${CSS.escape(entry.target.id)}"]`);
      link?.parentElement.classList.toggle('now', entry.isIntersecting);
    }
  }, { rootMargin: '-20% 0px -60% 0px' });
  exhibits.forEach(({ figure }) => figure.id && watch.observe(figure));
}

for (const svg of all('.picture svg')) {
  const title = svg.querySelector('title');
  if (title) { svg.setAttribute('aria-label', title.textContent); title.remove(); } // browsers would show it as a tooltip
  for (const entry of all('.legend', svg)) {
    const group = svg.querySelector(`.series[data-series="${entry.dataset.series}"]`);
    if (!group?.dataset.name) continue;
    const name = named(group.dataset.name);
    const flip = () => { state.mark = state.mark === name ? '' : name; update(); };
    Object.entries({ tabindex: 0, role: 'button', 'aria-pressed': 'false', 'aria-label': `Highlight ${name}`, 'pointer-events': 'bounding-box' }).forEach(pair => entry.setAttribute(...pair));
    entry.addEventListener('click', event => { event.stopPropagation(); flip(); });
    entry.addEventListener('keydown', event => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); flip(); } });
  }
  if (svg.querySelector('.legend[role=button]')) svg.setAttribute('role', 'group');
}

// A picture alone, as a document of its own.
function standalone(figure) {
  const copy = figure.querySelector('.picture svg').cloneNode(true);
  copy.classList.remove('chosen');
  all('.marked', copy).forEach(part => part.classList.remove('marked'));
  const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
  title.textContent = figure.querySelector('h3').textContent;
  copy.prepend(title);
  return new XMLSerializer().serializeToString(copy);
}
async function png(figure) {
  const { width, height } = figure.querySelector('.picture svg').viewBox.baseVal;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(figure))}`;
  await picture.decode();
  const canvas = make('canvas', { width: 2 * width, height: 2 * height });
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
}
// The number of replicates behind a point.
const count = (curve, index) => (Array.isArray(curve.n) ? curve.n[index] || '' : curve.n ?? '');
// The panels of a figure. The interval of a mean follows from half its width: on a logarithmic axis it is that of the log.
function data(figure) {
  const panels = JSON.parse(figure.querySelector('script.values')?.textContent ?? 'null');
  for (const panel of panels ?? []) {
    const log = panel.names ? panel.x[1] : panel.y[1];
    for (const curve of panel.curves) curve.shape ??= 'line';
    for (const curve of panel.curves.filter(one => one.half)) {
      const means = panel.names ? panel.grids[curve.grid] : curve.y;
      curve.ends = curve.half.map((half, index) => half === null ? null : [-1, 1].map(side => (log && means[index] > 0 ? means[index] * Math.exp(side * half / means[index]) : means[index] + side * half)));
    }
  }
  return panels;
}
const plain = markup => markup.replace(/([\^_])\{([^}]*)\}/g, (_, mark, text) => mark + (text.length > 1 ? `(${text})` : text));
function csv(figure) {
  const lines = [['panel', 'curve', 'x', 'y', 'half_width', 'replicates', 'low', 'high', 'mark']];
  for (const panel of data(figure)) {
    for (const curve of panel.curves) {
      panel.grids[curve.grid].forEach((place, index) => {
        const [x, y] = curve.values?.[index] ?? [place, curve.y[index] ?? ''];
        const [low, high] = curve.ends?.[index] ?? ['', ''];
        const ordinate = panel.names && y !== '' ? plain(panel.names[-y] ?? String(y)) : y;
        lines.push([plain(panel.title), plain(curve.names?.[index] ?? curve.label), x, ordinate, curve.half?.[index] ?? '', count(curve, index), low, high, curve.shape]);
      });
    }
  }
  return `${lines.map(quoted).join('\n')}\n`;
}
const download = (label, kind, figure, act) => make('button', { type: 'button', 'aria-label': `Download ${figure.querySelector('h3')?.textContent ?? 'table'} as ${kind}`, onclick: act }, label);
for (const figure of all('.exhibit.figure')) {
  const { name } = figure.dataset;
  const box = figure.querySelector('.downloads');
  box.append(download('SVG', 'SVG', figure, () => save(`${name}.svg`, 'image/svg+xml', standalone(figure))), ' ',
    download('PNG', 'PNG', figure, async () => save(`${name}.png`, 'image/png', await png(figure))));
  if (figure.querySelector('script.values')) box.append(' ', download('CSV', 'CSV', figure, () => save(`${name}.csv`, 'text/csv', csv(figure))));
}

// The values of a figure as a table, made when it is asked for.
for (const box of all('details.numbers')) {
  box.addEventListener('toggle', () => {
    if (box.querySelector('table')) return;
    const [head, ...lines] = csv(box.closest('.exhibit')).trim().split('\n').map(line => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map(cell => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"')).slice(0, 9));
    const from = lines.every(line => line[0] === '') ? 1 : 0;
    const row = cells => make('tr', {}, ...cells.slice(from).map((cell, index) => make(index === 0 ? 'th' : 'td', index === 0 ? { scope: 'row' } : {}, cell)));
    box.append(make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Values' }, make('table', {},
      make('thead', {}, make('tr', {}, ...head.slice(from).map(cell => make('th', { scope: 'col' }, cell.replaceAll('_', ' '))))), make('tbody', {}, ...lines.map(line => row(line))))));
  });
}

const large = one('large');
let enlarged = null;
function enlarge(figure) {
  one('large-title').textContent = figure.querySelector('h3').textContent;
  const body = one('large-body');
  body.replaceChildren();
  large.showModal();
  const panels = data(figure);
  if (panels && typeof live === 'function') enlarged = live(body, panels, figure);
  else body.append(figure.querySelector('.picture svg').cloneNode(true));
}
for (const button of all('.enlarge')) button.addEventListener('click', () => enlarge(button.closest('.exhibit')));
one('large-close').addEventListener('click', () => large.close());
large.addEventListener('close', () => { enlarged?.end(); enlarged = null; });
