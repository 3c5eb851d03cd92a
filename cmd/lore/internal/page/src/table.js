// The table of systems: sort, filter, choose metric and judge, and tick what is compared.

import {figureCell, numberCell, scaleOf} from './cells.js';
import {choice, el, line, refill, tick} from './dom.js';
import {contrastsOf, figureOf, go, onChange, ranked, rowOf, standing, state} from './state.js';
import {counted, short} from './words.js';

const view = {filter: '', ends: true, all: false, sort: 'metric', down: true};

// systemsTable is the section with the table.
export function systemsTable() {
  const body = el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Systems'});
  const count = el('p', {class: 'note', role: 'status'});
  const controls = el('div', {class: 'controls'});
  const show = () => {
    const systems = listed();
    body.classList.toggle('fits', !view.all); // its head stays in sight where it need not scroll
    refill(body, tableOf(systems));
    const left = state.head.systems.length - systems.length;
    refill(count, `${counted(systems.length, 'system')}${left ? `, ${left} filtered out` : ''}. `,
      line(contrastsOf(state.metric, state.judge)?.marks || ''));
  };
  const setControls = () => refill(controls, controlsOf(show));
  setControls();
  show();
  onChange((before) => {
    if (before.judge !== state.judge || before.metric !== state.metric) show();
    else if (before.systems !== state.systems) retick(body); // a new table would lose the focus
  });
  return el('section', {id: 'systems', 'aria-labelledby': 'h-systems'}, el('h2', {id: 'h-systems'}, 'Systems'), controls, body, count);
}

// retick ticks the systems that are compared.
function retick(body) {
  for (const line of body.querySelectorAll('tr[data-system]')) {
    line.querySelector('input').checked = state.systems.includes(Number(line.dataset.system));
  }
}

function controlsOf(show) {
  const head = state.head;
  const set = (name) => (value) => { view[name] = value; show(); };
  const shown = leadMetrics();
  return [
    el('label', {class: 'choice grow'}, el('span', null, 'Filter'),
      el('input', {type: 'search', id: 'filter', placeholder: 'name of a system', autocomplete: 'off',
        input: (e) => set('filter')(e.target.value)})),
    choice('Metric', shown.map((m) => [String(m), head.metrics[m].title]), String(state.metric), (v) => {
      view.sort = 'metric';
      view.down = true;
      go({metric: Number(v)});
    }),
    head.judges.length > 1
      ? choice('Judge', head.judges.map((j, i) => [String(i), short(j, 80)]), String(state.judge), (v) => go({judge: Number(v)})) : null,
    head.systems.some((s) => s.reference) ? tick('oracle, random and other ends of the scale', view.ends, set('ends')) : null,
    tick('all figures', view.all, set('all')),
  ];
}

// leadMetrics are the metrics with a value, the main ones.
function leadMetrics() {
  const head = state.head;
  return head.metrics.map((_, i) => i).filter((i) => (head.metrics[i].lead || i === head.headline) && hasValues(i));
}

function hasValues(metric) { return state.head.rows.some((r) => r.figures[metric] && r.figures[metric].v !== null); }

// otherMetrics are those without an interval, which stand behind a tick.
function otherMetrics() {
  const head = state.head;
  const lead = leadMetrics();
  return head.metrics.map((_, i) => i).filter((i) => !lead.includes(i) && !head.metrics[i].aside && hasValues(i));
}

// listed are the systems that pass the filter, sorted.
function listed() {
  const head = state.head;
  const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = (n) => words.every((w) => head.systems[n].full.toLowerCase().includes(w) || head.systems[n].name.toLowerCase().includes(w));
  const order = ranked(view.sort === 'metric' ? state.metric : Number(view.sort) || 0, state.judge);
  if (view.sort === 'name') order.sort((a, b) => head.systems[b].name.localeCompare(head.systems[a].name, 'en', {numeric: true}));
  if (view.sort === 'n') order.sort((a, b) => head.rows[rowOf(b)].n - head.rows[rowOf(a)].n);
  if (view.sort === 'missing') order.sort((a, b) => head.rows[rowOf(b)].unscored - head.rows[rowOf(a)].unscored);
  if (!view.down) order.reverse();
  return order.filter((n) => passes(n) && (view.ends || !head.systems[n].reference));
}

function tableOf(systems) {
  const head = state.head;
  const lead = leadMetrics();
  const more = view.all ? otherMetrics() : [];
  const scales = new Map(lead.map((m) => [m, scaleOf(head.rows, m)]));
  const missing = head.rows.some((r) => r.unscored > 0 || r.failed > 0);
  return el('table', {class: 'systems'},
    el('caption', {class: 'heard'}, 'Systems with their figures and intervals'),
    el('thead', null, el('tr', null,
      heading('name', 'System', 'sticky'),
      lead.map((m) => heading(m === state.metric ? 'metric' : String(m), head.metrics[m].title, columnClass(m), head.metrics[m].explain)),
      more.map((m) => heading(String(m), head.metrics[m].title, 'other number', head.metrics[m].explain)),
      heading('n', 'n', 'other number', 'values scored'),
      missing ? heading('missing', 'missing', 'other number', 'values missing, never counted as 0') : null)),
    el('tbody', null, systems.map((n) => lineOf(n, lead, more, scales, missing))));
}

function columnClass(metric) { return metric === state.metric ? 'lead chosen' : 'lead other'; }

// heading is the head of a column, which sorts by it.
function heading(key, title, name, explain) {
  const sorted = view.sort === key;
  const press = () => {
    const metric = Number(key);
    if (sorted) view.down = !view.down;
    else Object.assign(view, {sort: key, down: key !== 'name'});
    const lead = Number.isInteger(metric) && leadMetrics().includes(metric);
    if (lead && metric !== state.metric) {
      view.sort = 'metric';
      go({metric});
    } else go({});
    redraw();
  };
  return el('th', {class: name, scope: 'col', title: explain, 'aria-sort': sorted ? (view.down ? 'descending' : 'ascending') : null},
    el('button', {type: 'button', class: 'sort', click: press}, title, el('span', {'aria-hidden': 'true'}, sorted ? (view.down ? ' ↓' : ' ↑') : '')));
}

// redraw shows the table anew after a sort, which is no part of the address.
function redraw() {
  const old = document.querySelector('table.systems');
  if (old) old.replaceWith(tableOf(listed()));
}

function lineOf(n, lead, more, scales, missing) {
  const head = state.head;
  const row = rowOf(n);
  const r = head.rows[row];
  const ticked = state.systems.includes(n);
  const change = (on) => go({systems: on ? [...state.systems, n] : state.systems.filter((s) => s !== n)});
  const box = tick(short(head.systems[n].name, 160), ticked, change);
  box.title = `Compare ${short(head.systems[n].full, 400)}`;
  return el('tr', {class: head.systems[n].reference ? 'reference' : null, 'data-system': n},
    el('th', {class: 'sticky', scope: 'row'}, box),
    lead.map((m) => figureCell(figureOf(row, m), head.metrics[m], scales.get(m), standing(n, m, state.judge), {class: columnClass(m)})),
    more.map((m) => numberCell(figureOf(row, m), figureOf(row, head.metrics[m].asked), head.metrics[m], {class: 'other number'})),
    el('td', {class: 'other number'}, String(r.n)),
    missing ? el('td', {class: 'other number'}, r.unscored || r.failed ? `${r.unscored}${r.failed ? ` (${r.failed} of ${r.items} answers)` : ''}` : '0') : null);
}
