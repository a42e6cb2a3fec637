// Opens a report in headless Chromium and tries what a reader does. `node check.mjs MODULES CHROMIUM REPORTS`: the folder
// that holds node_modules with playwright-core and axe-core, the browser, and the folder of the pages. It prints what it
// found and exits with 1 if something is wrong.
import { createRequire } from 'node:module';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { complaints, csvComplaints, csvRows, enlargedComplaints, readSvg, shareOfOtherPixels, spotsOf } from './marks.mjs';

const [modules, browserPath, reports] = process.argv.slice(2);
const from = createRequire(resolve(modules, 'package.json'));
const { chromium } = from('playwright-core');
const axe = readFileSync(from.resolve('axe-core/axe.min.js'), 'utf8');

const failures = [];
const check = (holds, what) => { if (!holds) failures.push(what); };
const address = (page, hash = '') => pathToFileURL(resolve(reports, page)).href + hash;

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: browserPath, headless: true, args: flags });

// A page on which every request beyond the report and every complaint of the browser is a failure.
async function open(file, hash = '', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.on('request', request => {
    const url = request.url();
    check(/^(file|data|blob):/.test(url), `${file} asks for ${url}`);
    check(!url.startsWith('file:') || url.split(/[?#]/)[0] === address(file), `${file} reads ${url}`);
  });
  page.on('console', message => check(!['error', 'warning'].includes(message.type()), `${file}: console: ${message.text()}`));
  page.on('pageerror', error => failures.push(`${file}: ${error.message}`));
  const begun = Date.now();
  await page.goto(address(file, hash), { waitUntil: 'load' });
  page.took = Date.now() - begun;
  return page;
}
const close = page => page.context().close();
const serious = async (page, where) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const { id, impact, nodes } of found.violations.filter(one => ['serious', 'critical'].includes(one.impact))) {
    failures.push(`${where}: axe: ${id} (${impact}) at ${nodes.slice(0, 3).map(node => node.target.join(' ')).join('; ')}`);
  }
};
// Nothing that is shown is wider than the page; what scrolls by itself may be.
const clipped = page => page.evaluate(() => {
  const width = document.documentElement.clientWidth;
  return document.documentElement.scrollWidth > width + 1 ? `${document.documentElement.scrollWidth} wide in ${width}` : '';
});
async function downloaded(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

// Every mark of every figure, in all its files. Each kind of figure is spoilt once in each of several ways, which has to be
// noticed.
const described = new Map();
const files = ['figures', 'timings'].flatMap(folder => (existsSync(join(reports, folder)) ? readdirSync(join(reports, folder)).map(name => join(reports, folder, name)) : []));
const spoils = {
  'a value that moves': ({ panels }) => { for (const curve of panels.flatMap(panel => panel.curves)) if (!curve.guide && curve.shape !== 'bars') curve.y = curve.y.map(y => y * 1.05 + 1e-3); },
  'a mark that is not drawn': ({ whole }) => { for (const group of whole['TeX file'][0].groups) if (group.kind === 'series') group.marks = []; },
  'a mark that stands elsewhere': ({ whole }) => { for (const group of whole['PDF file (text)'][0].groups) if (group.kind === 'series') for (const mark of group.marks) mark.points = mark.points.map(([x, y]) => [x + 1, y - 1]); },
  'a name that is lost': ({ csv }) => { csv.text = csv.text.replace(/\n([^,]*),("[^"]*"|[^,]+),/, '\n$1,somebody,'); },
  'a number that is cut': ({ csv }) => { csv.text = csv.text.replace(/(\d\.\d{3})\d{3,}/, '$1'); },
};
const noticed = Object.fromEntries(Object.keys(spoils).map(name => [name, 0]));
for (const file of files.filter(name => name.endsWith('.json') && existsSync(name.replace(/\.json$/, '.svg')))) {
  const { found, panels } = complaints(file);
  failures.push(...found);
  described.set(basename(file, '.json'), panels);
  for (const [name, change] of Object.entries(spoils)) if (complaints(file, change).found.length > found.length) noticed[name] += 1;
}
// The pages of a test have no files beside them.
check(described.size > 0 || files.length === 0, 'no figure has a description');
// The PNG file of a figure has the colours of its marks, but for the few that areas, names and smoothed edges change (14 % at
// most), and that of another figure has not.
const blank = await (await browser.newContext()).newPage();
let [before, mistaken] = [null, 0];
for (const file of files.filter(name => name.endsWith('.svg') && existsSync(name.replace(/svg$/, 'png')))) {
  const [svg, png] = [readFileSync(file, 'utf8'), readFileSync(file.replace(/svg$/, 'png')).toString('base64')];
  const spots = spotsOf(readSvg(svg));
  const share = await blank.evaluate(shareOfOtherPixels, { svg, png, spots });
  check(share <= 0.25, `${basename(file, '.svg')}: the PNG file has other colours at ${Math.round(100 * share)} % of the marks`);
  if (before && spots.length && (await blank.evaluate(shareOfOtherPixels, { svg, png: before, spots })) <= 0.25) mistaken += 1;
  before = png;
}
await close(blank);
check(mistaken === 0, `${mistaken} PNG files of other figures were not noticed`);
for (const [name, times] of Object.entries(noticed)) check(times >= 0.8 * described.size, `${name} was noticed in ${times} of ${described.size} figures only`);

const pages = readdirSync(reports).filter(name => name.endsWith('.html'));
// Two pages at a time: each is drawn by a process of its own.
async function onEach(files, visit) {
  const left = [...files];
  const visitor = async () => { for (let file = left.shift(); file; file = left.shift()) await visit(file); };
  await Promise.all([visitor(), visitor()]);
}
let total = 0;
await onEach(pages, async file => {
  const size = readFileSync(join(reports, file)).length;
  total += size;
  check(size <= 2e6, `${file} has ${size} bytes, more than 2 MB`);
  const page = await open(file);
  check(page.took < 5000, `${file} takes ${page.took} ms to open`);
  check((await clipped(page)) === '', `${file}: ${await clipped(page)}`);
  await serious(page, file);
  await page.emulateMedia({ colorScheme: 'dark' });
  await serious(page, `${file}, dark`);
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(dark !== 'rgb(255, 255, 255)', `${file}: the page stays white in dark mode`);
  // On paper there are no controls, and nothing is cut off or scrolls.
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  await page.setViewportSize({ width: 700, height: 1000 });
  const cut = await page.evaluate(() => [...document.querySelectorAll('.scroll, .picture, figure, main')]
    .filter(part => part.offsetParent && (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1) && getComputedStyle(part).overflow !== 'visible')
    .map(part => `${part.className || part.tagName} ${part.scrollWidth} x ${part.scrollHeight} in ${part.clientWidth} x ${part.clientHeight}`));
  check(cut.length === 0, `${file}, printed: cut off: ${cut.slice(0, 3)}`);
  check((await clipped(page)) === '', `${file}, printed: ${await clipped(page)}`);
  check(await page.evaluate(() => [...document.querySelectorAll('.controls, dialog')].every(part => part.offsetParent === null)), `${file}, printed: controls are shown`);
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
  check(pdf.length > 1000 && pdf.subarray(0, 5).toString() === '%PDF-', `${file}: no PDF`);
  await close(page);
  const narrow = await open(file, '', { viewport: { width: 400, height: 800 } });
  check((await clipped(narrow)) === '', `${file} at 400 px: ${await clipped(narrow)}`);
  await close(narrow);
});
check(total <= 6e6, `the pages have ${total} bytes, more than 6 MB`);

// The index: verdicts lead to their rows.
const index = await open('index.html');
const [height, answer, inner, row] = await index.evaluate(() => [
  document.documentElement.scrollHeight - (document.getElementById('forest')?.offsetHeight ?? 0),
  document.querySelector('.papers')?.getBoundingClientRect().bottom ?? 0,
  [...document.querySelectorAll('main *')].filter(part => part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY)).length,
  Math.max(0, ...[...document.querySelectorAll('.forest tbody tr:not(.paper)')].map(line => line.offsetHeight)),
]);
check(height <= 2700, `index.html is ${height} px high without its exponents, more than three screens of 900`);
check(answer <= 900, `index.html: the papers end at ${answer} px, below the first screen`);
check(row <= 18, `index.html: a row of the exponents is ${row} px high`);
check(inner === 0, `index.html: ${inner} boxes scroll inside of the page`);
for (const tile of await index.locator('.tile').all()) {
  const [count, goal] = [Number(await tile.locator('b').textContent()), await tile.getAttribute('href')];
  const [file, hash] = goal.split('#');
  const rows = await open(file, `#${hash}`);
  // Rows that tell of the same runs as another one, and claims that are a row of rates, are shown and count once.
  const shown = await rows.locator(`#${hash.split('?')[0]}`).evaluate(part => {
    const column = key => [...part.querySelectorAll('.scroll thead th')].findIndex(head => head.dataset.key === key);
    const empty = (row, key) => !(row.cells[column(key)]?.textContent.trim().length > 1);
    return [...part.querySelectorAll('.scroll tbody tr:not([hidden])')].filter(row => empty(row, 'same') && empty(row, 'rate')).length;
  });
  check(shown === count, `the tile to ${goal} says ${count}, its rows are ${shown}`);
  await close(rows);
}
await close(index);

// A page of figures: find, facets, legend, the enlarged figure, downloads.
let stepped = 0;
await onEach(pages.filter(name => name !== 'index.html'), async file => {
  const page = await open(file);
  const all = await page.locator('.exhibit:visible').count();
  await page.fill('#find', 'zzzzqq');
  check(await page.locator('.exhibit:visible').count() === 0 && await page.locator('#nothing').isVisible(), `${file}: nothing found is not said`);
  check(page.url().includes('q=zzzzqq'), `${file}: the address does not hold what was looked for`);
  await page.click('#all');
  check(await page.locator('.exhibit:visible').count() === all, `${file}: not everything is shown again`);
  for (const select of await page.locator('#facets select').all()) {
    const value = await select.locator('option').nth(1).getAttribute('value');
    await select.selectOption(value);
    const left = await page.locator('.exhibit:visible').count();
    check(left > 0, `${file}: no exhibit has ${value}`);
    const again = await open(file, new URL(page.url()).hash);
    check(await again.locator('.exhibit:visible').count() === left, `${file}: the address does not give the view of ${value}`);
    await close(again);
    await page.click('#all');
  }
  const legend = page.locator('.picture svg .legend[role=button]').first();
  if (await legend.count()) {
    await legend.focus();
    await page.keyboard.press('Enter');
    check(await legend.getAttribute('aria-pressed') === 'true', `${file}: a legend entry is not pressed`);
    check(await page.locator('svg.chosen .series.marked').count() > 0, `${file}: no curve stands out`);
    check(page.url().includes('mark='), `${file}: the address does not hold the curve that stands out`);
    await page.click('#all');
  }
  const head = page.locator('.exhibit.table[data-name] thead th button').nth(1);
  if (await head.count()) {
    await head.click();
    check(await page.locator('th[aria-sort=ascending]').count() === 1, `${file}: a table is not sorted`);
  }
  for (const figure of await page.locator('.exhibit[data-name]').all()) {
    const name = await figure.getAttribute('data-name');
    const kind = await figure.evaluate(part => (part.classList.contains('figure') ? 'figure' : 'table'));
    if (kind === 'table') {
      const made = await downloaded(page, figure.locator('button[aria-label$="as CSV"]'));
      check(made.name === `${name}.csv` && made.bytes.includes('\n'), `${file}: ${name}: no CSV`);
      const beside = await figure.locator('.files a', { hasText: 'CSV' }).first().getAttribute('href').catch(() => null);
      if (beside) {
        const lines = text => text.trim().split(/\r?\n/);
        const [one, other] = [lines(made.bytes.toString()), lines(readFileSync(join(reports, beside), 'utf8'))];
        check(one.length === other.length, `${file}: ${name}: the CSV of the page has ${one.length} lines, that beside it ${other.length}`);
        check(one[0] === other[0], `${file}: ${name}: heads differ: ${one[0]} and ${other[0]}`);
      }
      continue;
    }
    const svg = await downloaded(page, figure.locator('button[aria-label$="as SVG"]'));
    check(svg.name === `${name}.svg` && svg.bytes.includes('<svg'), `${file}: ${name}: no SVG`);
    const png = await downloaded(page, figure.locator('button[aria-label$="as PNG"]'));
    check(png.bytes.subarray(1, 4).toString() === 'PNG' && png.bytes.length > 3000, `${file}: ${name}: no PNG`);
    await figure.locator('.enlarge').click();
    check(await page.locator('#large').isVisible(), `${file}: ${name} is not enlarged`);
    if (await figure.locator('script.values').count()) {
      check(await page.locator('#large canvas').count() > 0, `${file}: ${name}: nothing is drawn`);
      const csv = await page.evaluate(part => window.eval('csv')(part), await figure.elementHandle());
      const rows = csvRows(csv).slice(1);
      const panels = described.get(name);
      if (panels) {
        // The page keeps 3 digits of half widths, from which the ends of intervals follow, 5 of ordinates and 6 of everything else.
        const rounding = (own, column, [, , x, y, half]) => {
          const mean = Math.abs(typeof y === 'number' ? y : x) || Infinity;
          return (column > 2 ? 6e-5 : 6e-6) * Math.abs(own) + (half && [4, 6, 7].includes(column) ? 6e-3 * half * (column === 4 ? 1 : 1 + Math.abs(own) / mean) : 0);
        };
        csvComplaints(panels, csv, rounding, what => failures.push(`${file}: ${name}: the page's CSV: ${what}`));
        for (const what of await page.evaluate(enlargedComplaints, panels[0])) failures.push(`${file}: ${name}, enlarged: ${what}`);
        // Both have to be noticed: points that move, beside names by half a row and to the right, and dots for lines and lines
        // for dots.
        const xs = panels[0].curves.flatMap(curve => curve.x);
        const right = x => x + 0.3 * (Math.max(...xs) - Math.min(...xs));
        const spoilt = [curve => (panels[0].names?.length ? { ...curve, x: curve.x.map(right), y: curve.y.map(y => y - 0.5) } : { ...curve, y: curve.y.map(y => 1.1 * y + 1e-3) })];
        if (!panels[0].names?.length) spoilt.push(curve => ({ ...curve, shape: curve.shape === 'dots' ? 'line' : 'dots' }));
        for (const change of spoilt) check((await page.evaluate(enlargedComplaints, { ...panels[0], curves: panels[0].curves.map(change) })).length > 0, `${file}: ${name}, enlarged: other marks were not noticed`);
      }
      const first = rows.filter(row => row[0] === rows[0][0]);
      const told = await page.locator('#large .values tbody tr').evaluateAll(list => list.map(row => [row.dataset.point ?? row.dataset.curve, row.cells[1].textContent, row.dataset.name, row.dataset.x]));
      // Beside names every value is read out, of points with names each, and else those at one abscissa.
      const where = Number((await page.locator('#large .values p').textContent()).match(/= (\S+)$/)?.[1]);
      let read = 0;
      for (const [curve, value, row, x] of told.filter(([, text]) => text !== '–')) {
        const from = Number(x ?? where);
        const at = first.find(cells => cells[1] === curve && (row ? cells[3] === row : cells[8] === 'upright' || Math.abs(Number(cells[2]) - from) <= 1e-6 * Math.abs(from)));
        const [mean, half] = value.split(' ± ').map(Number);
        const own = at?.[row || at?.[8] === 'upright' ? 2 : 3];
        const close = at && Math.abs(mean - Number(own)) <= Math.max(0.06 * (half || 0), 1e-4 * Math.abs(mean), 1e-12);
        check(close, `${file}: ${name}: ${curve} at ${row ?? where} reads ${value}, in the file ${own}`);
        read += 1;
      }
      check(read > 0, `${file}: ${name}: no value is read out`);
      await page.locator('#large .canvas').focus();
      const before = await page.locator('#large .values p').textContent();
      await page.keyboard.press(told[0]?.[2] ? 'ArrowDown' : 'ArrowLeft');
      const places = new Set(first.map(row => row[told[0]?.[2] ? 3 : 2]));
      if (places.size > 1) check(await page.locator('#large .values p').textContent() !== before, `${file}: ${name}: arrow keys do nothing`);
      const box = await page.locator('#large .u-over').boundingBox();
      await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.7 * box.width, box.y + 0.35 * box.height, { steps: 4 });
      await page.mouse.up();
      // The next panel over the same axis shows the part that was zoomed into, until the whole range is asked for.
      const range = () => page.evaluate(() => { const { min, max } = window.eval('enlarged').plot.scales.x; return [min, max]; });
      const ends = one => { const own = one.curves.flatMap(curve => curve.x); return [...one.x, Math.min(...own), Math.max(...own)].join(); };
      const alike = panels?.[1] && !panels[0].names?.length && !panels[1].names?.length && ends(panels[0]) === ends(panels[1]);
      if (alike) {
        await page.waitForTimeout(50);
        const part = await range();
        await page.locator('#large .tools select').first().selectOption('1');
        await page.waitForTimeout(50);
        const kept = await range();
        await page.locator('#large .tools button', { hasText: 'Whole range' }).click();
        await page.waitForTimeout(50);
        const whole = await range();
        check(`${kept}` === `${part}` && whole[1] - whole[0] > part[1] - part[0], `${file}: ${name}: panels are out of step: ${part}, ${kept}, ${whole}`);
        stepped += 1;
        await page.locator('#large .tools select').first().selectOption('0');
      }
      for (const tool of await page.locator('#large .tools button[aria-pressed]').all()) await tool.click();
      const curve = page.locator('#large .values button').first();
      await curve.click();
      check(await curve.getAttribute('aria-pressed') === 'false', `${file}: ${name}: a curve is not hidden`);
      await serious(page, `${file}: ${name}, enlarged`);
    } else {
      check(await page.locator('#large-body svg').count() === 1, `${file}: ${name}: nothing is enlarged`);
    }
    await page.keyboard.press('Escape');
    check(!(await page.locator('#large').isVisible()), `${file}: ${name}: Escape does not close it`);
  }
  await close(page);
});
check(stepped > 0 || described.size === 0, 'no figure has panels that could be in step');
await browser.close();
console.log(failures.length ? failures.join('\n') : `${pages.length} pages, ${total} bytes: sound`);
process.exit(failures.length ? 1 : 0);
