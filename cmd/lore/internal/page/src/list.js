// The list of questions: the chosen systems side by side on one line each, differences
// first; failures only, disagreements of judges only; and the search.

import {place} from './cells.js';
import {button, choice, draw, el, refill, tick} from './dom.js';
import {marked, rootsOf} from './marks.js';
import {matcher, searchAll} from './search.js';
import {follow, go, linkTo, onChange, rowOf, state} from './state.js';
import {counted, number, short} from './words.js';

const view = {words: '', sort: 'difference', differ: false, failed: false, split: false, order: []};
const step = 60; // lines that are added at a time

// questionList is the section with the list.
export function questionList() {
  const head = state.head;
  const list = el('ol', {class: 'questions'});
  const results = el('div', {class: 'results', 'aria-live': 'polite'});
  const count = el('p', {class: 'note', role: 'status'});
  const show = () => {
    view.order = ordered();
    refill(count, `${counted(view.order.length, 'question')}${legend()}`);
    refill(list);
    extend(list, 0);
  };
  const set = (name) => (value) => { view[name] = value; show(); };

  const controls = el('div', {class: 'controls'},
    el('label', {class: 'choice grow'}, el('span', null, 'Search'),
      el('input', {type: 'search', id: 'search', placeholder: 'questions, answers, documents', autocomplete: 'off',
        input: (e) => { set('words')(e.target.value); look(e.target.value, results); }})),
    choice('Order', [['difference', 'largest difference first'], ['low', 'lowest first'], ['data', 'as in the data']], view.sort, set('sort')),
    head.systems.length > 1 ? tick('where the systems differ', view.differ, set('differ')) : null,
    head.items.some((i) => i.failed) ? tick('failures only', view.failed, set('failed')) : null,
    head.items.some((i) => i.split) ? tick('where judges disagree', view.split, set('split')) : null);

  onChange((before) => {
    if (before.judge !== state.judge || before.metric !== state.metric || before.systems !== state.systems) show();
  });
  show();
  return el('section', {id: 'questions', 'aria-labelledby': 'h-questions'},
    el('h2', {id: 'h-questions'}, 'Questions'), controls, results, count, list);
}

function legend() {
  const names = state.systems.map((n) => state.head.systems[n].name);
  return names.length ? `. ${state.head.metrics[state.metric].title} of ${names.map((n) => short(n, 40)).join(', ')}.` : '.';
}

// questionOrder are the items in the order of the list, for going from one to the next.
export function questionOrder() { return view.order.includes(state.question) ? view.order : state.head.items.map((_, i) => i); }

// valuesOf are the chosen systems' means of an item.
function valuesOf(item) {
  const m = state.values ? state.values.metrics.indexOf(state.metric) : -1;
  if (m < 0) return state.systems.map(() => null);
  return state.systems.map((n) => state.values.rows[rowOf(n)]?.[m]?.[item] ?? null);
}

// spread is how far the chosen systems lie apart on an item.
function spread(item) {
  const v = valuesOf(item).filter((x) => x !== null);
  return v.length < 2 ? -1 : Math.max(...v) - Math.min(...v);
}

function ordered() {
  const head = state.head;
  const find = matcher(view.words);
  const out = head.items.map((_, i) => i).filter((i) => (!view.differ || spread(i) > 0) && (!view.failed || head.items[i].failed) && (!view.split || head.items[i].split) &&
    (!view.words.trim() || find(`${head.items[i].title} ${head.items[i].id} ${head.items[i].topic || ''}`) >= 0));
  if (view.sort === 'difference') out.sort((a, b) => spread(b) - spread(a));
  if (view.sort === 'low') {
    const lowest = (i) => Math.min(...valuesOf(i).map((v) => v ?? Infinity));
    out.sort((a, b) => lowest(a) - lowest(b));
  }
  return out;
}

// extend adds lines, and a mark at whose sight it adds the next.
function extend(list, from) {
  const scale = {least: 0, most: Math.max(1, ...valuesMost())};
  list.append(...view.order.slice(from, from + step).map((i) => line(i, scale)));
  if (from + step >= view.order.length) return;
  const more = el('li', {class: 'more'}, button('More questions', () => { more.remove(); extend(list, from + step); }, {class: 'quiet'}));
  list.append(more);
  new IntersectionObserver((seen, watch) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watch.disconnect();
    if (more.isConnected) { more.remove(); extend(list, from + step); }
  }).observe(more);
}

function valuesMost() {
  const m = state.metric;
  if (state.head.metrics[m].percent) return [100];
  return state.head.items.flatMap((_, i) => valuesOf(i).map((v) => v ?? 0));
}

function line(i, scale) {
  const head = state.head;
  const item = head.items[i];
  const values = valuesOf(i);
  const says = values.map((v, k) => `${short(head.systems[state.systems[k]].name, 80)} ${number(v)}`).join(', ');
  const d = spread(i);
  return el('li', null, el('a', {href: linkTo({question: i}), click: follow({question: i}), title: says},
    el('span', {class: 'title'}, short(item.title, 180), item.topic ? el('small', {class: 'topic'}, short(item.topic, 180)) : null),
    el('span', {class: 'flags'}, item.failed ? el('span', {class: 'warn'}, `${item.failed} failed`) : null,
      item.split ? el('span', {class: 'split'}, `judges differ on ${item.split}`) : null),
    dots(values, scale),
    el('span', {class: 'number', title: values.length > 1 ? 'largest difference' : null}, number(values.length > 1 ? (d < 0 ? null : d) : values[0])),
    el('span', {class: 'heard'}, says)));
}

// dots draws the chosen systems' values on one line, each with its own shape.
function dots(values, scale) {
  const svg = draw('svg', {class: 'dots', viewBox: '0 0 140 14', width: 140, height: 14, 'aria-hidden': 'true'},
    draw('line', {class: 'track', x1: 0, x2: 140, y1: 7, y2: 7}));
  values.forEach((v, k) => { if (v !== null) svg.append(shape(k, 5 + place(v, scale, 130), 7, 4.5)); });
  return svg;
}

// shape is a system's sign in pictures: colour and form together, so that neither is needed.
export function shape(k, x, y, r) {
  const name = `series s${k % 8}`;
  if (k % 4 === 1) return draw('rect', {class: name, x: x - r * 0.85, y: y - r * 0.85, width: 1.7 * r, height: 1.7 * r});
  if (k % 4 === 2) return draw('path', {class: name, d: `M${x} ${y - r * 1.2}L${x + r * 1.2} ${y + r}L${x - r * 1.2} ${y + r}Z`});
  if (k % 4 === 3) return draw('path', {class: name, d: `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}Z`});
  return draw('circle', {class: name, cx: x, cy: y, r});
}

let waiting = 0;
let stop = () => {};

// look searches answers and documents, a moment after the last letter.
function look(words, results) {
  clearTimeout(waiting);
  stop();
  refill(results);
  if (words.trim().length < 3) return;
  waiting = setTimeout(() => {
    const says = el('p', {class: 'note'});
    const places = el('ul', {class: 'found'});
    refill(results, says, places);
    stop = searchAll(words, (f) => places.append(foundLine(f)), (n, of, cut, err) => {
      if (err) refill(says, String(err.message));
      else if (n < of) refill(says, `Searching answers and documents: ${Math.round((100 * n) / of)} %`);
      else refill(says, `${counted(places.children.length, 'place')}${cut ? ', the first of more' : ''} in statements, answers and documents`);
    });
  }, 250);
}

let openDocument = () => {};

// onDocument says what opens a document.
export function onDocument(open) { openDocument = open; }

function foundLine(f) {
  const head = state.head;
  const open = () => {
    if (f.kind === 'document') return openDocument(f.document, {evidence: [view.words]});
    return go({question: f.item, systems: f.system === undefined || state.systems.includes(f.system) ? state.systems : [...state.systems, f.system]});
  };
  const where = f.kind === 'document' ? `document ${short(head.documents[f.document], 120)}`
    : `${f.kind}${f.system === undefined ? '' : ' of ' + short(head.systems[f.system].name, 80)} · ${short(head.items[f.item].title, 80)}`;
  return el('li', null, button([el('small', null, where), el('span', null, marked(f.text, rootsOf([view.words])))], open, {class: 'hit'}));
}
