// The list of runs, from which one is opened, or several are compared.

import {button, el, line, refill} from './dom.js';
import {poller} from './ask.js';
import {folderList} from './planner.js';
import {counted, number, short} from './words.js';

const pause = 2000; // milliseconds between two questions to the server
const chosen = new Set();

// runList draws the list, and again when something has changed.
export async function runList(node) {
  document.title = 'Runs · lore';
  const next = poller('/runs');
  for (;;) {
    const list = await next();
    if (list) draw(node, list);
    await new Promise((done) => setTimeout(done, pause));
  }
}

function draw(node, {folder, runs, labels}) {
  const focused = document.activeElement?.dataset?.run;
  const compare = button('Compare', () => { location.href = '/run/' + [...chosen].join('-'); }, {id: 'compare', disabled: true});
  const ready = () => { compare.disabled = chosen.size < 2; };
  refill(node, el('h1', null, 'Runs'), el('p', {class: 'note'}, line(`${counted(runs.length, 'run')} ${folder}`)),
    runs.length || labels?.length ? null : el('p', null, 'There is no run yet: lore run summhay makes one.'),
    runs.length ? table(runs, ready) : null,
    labels?.length ? [el('h2', null, 'To label'), folderList(labels)] : null,
    runs.length > 1 ? el('p', {class: 'controls'}, compare, el('span', {class: 'note'}, ' Tick two runs or more, of one benchmark.')) : null);
  ready();
  if (focused) node.querySelector(`input[data-run="${CSS.escape(focused)}"]`)?.focus();
  document.documentElement.dataset.ready = 'yes';
}

function table(runs, ready) {
  const heads = ['', 'Run', 'State', 'Benchmark', 'Items', 'Systems', 'Judges', 'Best', 'Failed'];
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Runs'}, el('table', {class: 'runs'},
    el('thead', null, el('tr', null, heads.map((h) => (h ? el('th', {scope: 'col'}, h) : el('td'))))),
    el('tbody', null, runs.map((r) => row(r, ready)))));
}

function row(r, ready) {
  const tick = () => {
    if (box.checked) chosen.add(r.id);
    else chosen.delete(r.id);
    ready();
  };
  const box = el('input', {type: 'checkbox', 'data-run': r.id, 'aria-label': 'Compare ' + short(r.folder, 100), checked: chosen.has(r.id), change: tick});
  const known = Boolean(r.benchmark);
  return el('tr', null, el('td', null, r.finished ? box : null),
    el('th', {scope: 'row'}, el('a', {href: '/run/' + r.id}, short(r.folder, 120))),
    el('td', null, condition(r)),
    el('td', null, short(r.benchmark || '', 60)),
    el('td', {class: 'number'}, known ? String(r.items) : '–'),
    el('td', {class: 'number'}, known ? String(r.systems) : '–'),
    el('td', null, short((r.judges || []).join(', '), 80)),
    el('td', null, r.metric ? `${short(r.metric, 60)} ${number(r.value)}, ${short(r.best, 80)}` : '–'),
    el('td', {class: r.failed + r.unscored ? 'number warn' : 'number'}, known ? failed(r) : '–'));
}

function condition(r) {
  const share = r.share > 0 ? `${Math.floor(r.share)} %, ` : '';
  const where = r.phase ? `${share}${short(r.phase, 80)} ${r.done} of ${r.total}${r.left ? `, ${r.left}` : ''}` : '';
  if (r.running) return where ? `running: ${where}` : 'running';
  if (r.interrupted) return el('span', {class: 'warn'}, `interrupted at ${where}: the same lore run command again goes on`);
  if (r.problem) return el('span', {class: 'warn'}, line(r.problem));
  return 'finished';
}

function failed(r) {
  return [r.failed ? counted(r.failed, 'answer') : '', r.unscored ? counted(r.unscored, 'value') : ''].filter(Boolean).join(', ') || 'nothing';
}
