// The view of one question: all chosen systems side by side.

import {answerCard, columnOf, held} from './answers.js';
import {button, choice, clipped, draw, el, refill} from './dom.js';
import {extended} from './extend.js';
import {questionOrder, shape} from './list.js';
import {isReading, openDocument} from './reader.js';
import {block} from './source.js';
import {differ, statementTable} from './statements.js';
import {follow, go, linkTo, state} from './state.js';
import {counted, short} from './words.js';

const many = 5; // systems, above which the table of statements may be wider than the screen
let drawn = 0; // tells a view that came too late

// questionView draws the question that is looked at into a node.
export async function questionView(node) {
  const now = ++drawn;
  const item = state.question;
  const q = await block('q' + item);
  if (now !== drawn) return;
  const gold = q.gold ? new Set(q.gold) : null;
  const columns = state.systems.map((n) => columnOf(q, n));
  const to = (number) => columns.filter((c) => c.context).map((c) => ({name: c.name, shown: c.saw(number) ? c.shown(number) : null}));
  const open = (number, about = {}) => openDocument(number, {gold: gold ? gold.has(number) : null, holds: held(q, number), to: to(number), ...about});
  refill(node, heading(item), chooser(), body(q, columns, open));
  extended('question', node, {item});
}

function heading(item) {
  const head = state.head;
  const it = head.items[item];
  const list = questionOrder();
  const at = list.indexOf(item);
  return el('header', {class: 'question-head'},
    el('nav', {class: 'steps', 'aria-label': 'Questions'},
      el('a', {href: linkTo({question: -1}), click: follow({question: -1})}, '← All questions'),
      el('span', {class: 'note'}, `${at + 1} of ${list.length}`),
      button('Previous', () => step(-1), {disabled: at === 0, title: 'Left arrow'}),
      button('Next', () => step(1), {disabled: at === list.length - 1, title: 'Right arrow'})),
    el('h1', {tabindex: '-1'}, clipped(it.title, undefined, 600)),
    el('p', {class: 'note'}, [it.id, it.group, it.topic].filter(Boolean).map((s) => short(s, 120)).join(' · ')));
}

// step goes to the next question of the list, or the one before.
export function step(by) {
  const list = questionOrder();
  const next = list[list.indexOf(state.question) + by];
  if (next !== undefined) go({question: next});
}

// chooser shows which systems are compared, and adds and removes them.
function chooser() {
  const head = state.head;
  const others = head.systems.map((_, n) => n).filter((n) => !state.systems.includes(n));
  const add = (v) => { if (v !== '') go({systems: [...state.systems, Number(v)]}); };
  return el('div', {class: 'chooser', role: 'group', 'aria-label': 'Systems that are compared'},
    state.systems.map((n, k) => el('span', {class: 'chip'}, sign(k), short(head.systems[n].name, 60),
      state.systems.length > 1 ? button('×', () => go({systems: state.systems.filter((s) => s !== n)}),
        {class: 'remove', 'aria-label': `Leave out ${head.systems[n].name}`}) : null)),
    others.length ? choice('Add', [['', '…'], ...others.map((n) => [String(n), short(head.systems[n].name, 80)])], '', add) : null,
    head.judges.length > 1 ? choice('Judge', head.judges.map((j, i) => [String(i), short(j, 80)]), String(state.judge), (v) => go({judge: Number(v)})) : null);
}

function sign(k) { return draw('svg', {class: 'sign', viewBox: '0 0 14 14', width: 14, height: 14, 'aria-hidden': 'true'}, shape(k, 7, 7, 5)); }

function body(q, columns, open) {
  const light = (column, v) => {
    for (const c of columns) c.light(c === column ? v : null);
  };
  const n = differ(q.asked, columns);
  const says = columns.length > 1 ? `The systems differ on ${n} of ${q.asked.length}; these come first.` : '';
  const answers = el('div', {class: 'answers'}, columns.map((c) => answerCard(q, c, open)));
  const table = statementTable(q, columns, light, open);
  const cites = q.gold && answers.querySelector('button.cite');
  return [
    q.asked.length ? el('section', {'aria-labelledby': 'h-statements'},
      el('h2', {id: 'h-statements'}, counted(q.asked.length, nounOf(q.asked)) + ' put to the judge'),
      el('p', {class: 'note'}, says + ' Press a verdict to see what carried it.'),
      state.head.answers_from && columns.some((c) => c.verdicts?.context) ? el('p', {class: 'note'},
        `Below each verdict stand the documents shown that answer the question, by the data or the judge: ${state.head.answers_from} does.`) : null,
      columns.length > many ? el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Statements'}, table) : table) : null,
    el('section', {'aria-labelledby': 'h-answers'}, el('h2', {id: 'h-answers'}, 'Answers'),
      cites ? el('p', {class: 'note'}, 'Citations: ', el('span', {class: 'cite holds'}, '7'), ' holds what the part reports, ',
        el('span', {class: 'cite gold'}, '7'), ' is relevant to the question, ', el('span', {class: 'cite'}, '7'), ' is not.') : null,
      state.head.lacking ? el('p', {class: 'note'}, clipped(state.head.lacking, undefined, 500)) : null,
      answers),
    el('p', {class: 'note keys'}, 'Keys: ← and → for the question before and the next, Escape for all questions, / to search.'),
  ];
}

const nouns = {coverage: 'statement', entailment: 'key point', answerability: 'question'};

function nounOf(asked) { return nouns[asked[0].kind] || 'grade'; }

// onKey goes from question to question.
export function onKey(event) {
  const typing = /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || isReading()) return;
  if (event.key === '/' && !typing) {
    event.preventDefault();
    if (state.question >= 0) go({question: -1});
    document.getElementById('search')?.focus();
  }
  if (typing || state.question < 0) return;
  if (event.key === 'ArrowLeft') step(-1);
  if (event.key === 'ArrowRight') step(1);
  if (event.key === 'Escape') go({question: -1});
}
