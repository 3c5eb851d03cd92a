// The first screen: for somebody who did not make the run. What was compared, the answer,
// how far the judge can be believed, and what failed.

import {el, fold, line, refill} from './dom.js';
import {extended} from './extend.js';
import {onChange, state} from './state.js';
import {counted} from './words.js';

// firstScreen is the page's beginning.
export function firstScreen() {
  const head = state.head;
  const answer = el('div', {class: 'answer', id: 'answer'});
  const cards = el('div', {class: 'cards'});
  const show = () => {
    refill(answer, sentences());
    refill(cards, trustCard(), failedCard(), missingCard());
  };
  onChange((before) => { if (before.judge !== state.judge || before.metric !== state.metric) show(); });
  show();

  const when = [head.date, head.title.startsWith(head.benchmark) ? '' : head.benchmark, head.compared].filter(Boolean).join(' · ');
  return extended('first', el('header', {class: 'first'},
    head.study ? el('p', {class: 'when'}, 'Part of: ', el('a', {href: '../report.html'}, line(head.study))) : null,
    el('h1', null, line(head.title)),
    el('p', {class: 'when'}, line(when)),
    el('p', {class: 'when'}, line(`The task: ${head.about}`)),
    differences(),
    answer,
    cards), {});
}

// differences are the settings that are not the same in all runs.
function differences() {
  const list = state.head.differ;
  if (list.length === 0) return null;
  const few = list.slice(0, 3).map((d) => el('li', null, line(d)));
  return el('div', {class: 'when differ'}, 'The runs differ in:', el('ul', null, few),
    list.length > 3 ? fold(counted(list.length - 3, 'more setting'), () => el('ul', null, list.slice(3).map((d) => el('li', null, line(d))))) : null);
}

// sentences are the answer on the metric, and by the judge, that are looked at.
function sentences() {
  const head = state.head;
  const on = head.answers.filter((a) => a.metric === state.metric);
  const said = on.find((a) => a.judge === state.judge) || on.find((a) => a.judge < 0) || on[0];
  if (!said) return el('p', {class: 'lead'}, `On ${head.metrics[state.metric].title} nothing was tested.`);
  const [first, ...rest] = said.sentences;
  const by = head.judges.length > 1 && said.judge >= 0 ? [`As judged by ${head.judges[said.judge]}.`] : [];
  const more = [...rest, ...by];
  return [
    el('p', {class: 'lead'}, line(first)),
    more.length > 0 ? el('p', null, line(more.join(' '))) : null,
    head.heed.map((h) => el('p', {class: 'heed'}, line(h))),
    said.notes.map((n) => el('p', {class: 'note'}, line(n))),
  ];
}

function card(name, sign, title, ...body) {
  return el('section', {class: `card ${name}`}, el('h2', null, el('span', {class: 'sign', 'aria-hidden': 'true'}, sign), title), body);
}

const worths = {
  good: 'agrees well with people',
  fair: 'agrees fairly with people',
  weak: 'agrees weakly with people',
  useless: 'hardly agrees with people',
  '': 'was not measured on such texts',
};

// trustCard says how far the judges can be believed; what is worst comes first, and counts.
function trustCard() {
  const order = ['useless', '', 'weak', 'fair', 'good'];
  const rank = (t) => order.indexOf(t.worth);
  const all = state.head.trust.toSorted((a, b) => rank(a) - rank(b));
  const metric = state.head.metrics[state.metric];
  const more = (shown, words) => (all.length > shown ? fold(words, () => all.slice(shown).map(trustLine)) : null);
  if (!metric.judged) return card('calm', '–', `${metric.title} needs no judge`, el('p', null, 'It is computed.'), more(0, 'The judges of other figures'));
  if (all.length === 0) return card('calm', '–', 'No judge is known', el('p', null, 'Nothing is known of who judged.'));

  const worst = all[0];
  const best = all.reduce((b, t) => (order.indexOf(t.best) > order.indexOf(b) ? t.best : b), worst.best);
  const calm = worst.worth === 'good' || worst.worth === 'fair';
  const title = `The judge ${worths[worst.worth]}${best && best !== worst.worth ? ', at worst' : ''}`;
  return card(calm ? 'calm' : 'warn', calm ? '✓' : '!', `Can the judge be believed? ${title}.`,
    all.slice(0, 3).map(trustLine), more(3, `${all.length - 3} more`));
}

function trustLine(t) { return el('p', null, line(t.said + (t.least ? ` The lowest of several measurements there: ${t.least}.` : ''))); }

// failedCard says what failed, of how much.
function failedCard() {
  const head = state.head;
  if (head.failed.length === 0 && head.lost.length === 0) return card('calm', '✓', 'Nothing failed', el('p', null, 'Every answer and every verdict is there.'));
  return card('warn', '!', 'Something failed',
    head.lost.map((l) => el('p', null, line(l))),
    el('p', null, 'What is missing is never counted as 0.'),
    fold(counted(head.failed.length, 'kind') + ' of failure', () => el('ul', null, head.failed.map((f) => el('li', null, line(f))))));
}

// missingCard tells of warnings and of what the page lacks; nothing where there is neither.
function missingCard() {
  const head = state.head;
  const said = head.lacking ? [head.lacking, ...head.warnings] : head.warnings;
  if (said.length === 0) return null;
  return card('note', 'i', head.lacking ? 'No documents here' : counted(said.length, 'warning'),
    said.slice(0, 3).map((s) => el('p', null, line(s))),
    said.length > 3 ? fold(counted(said.length - 3, 'more note'), () => el('ul', null, said.slice(3).map((s) => el('li', null, line(s))))) : null);
}
