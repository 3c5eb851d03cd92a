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
  const show = () => refill(answer, sentences());
  onChange((before) => { if (before.judge !== state.judge) show(); });
  show();

  const when = [head.date, head.title.startsWith(head.benchmark) ? '' : head.benchmark, head.compared].filter(Boolean).join(' · ');
  return extended('first', el('header', {class: 'first'},
    el('h1', null, line(head.title)),
    el('p', {class: 'when'}, line(when)),
    answer,
    el('div', {class: 'cards'}, trustCard(), failedCard(), missingCard())), {});
}

// sentences are the answer by the judge that is looked at.
function sentences() {
  const head = state.head;
  const said = head.answers.find((a) => a.judge === state.judge) || head.answers.find((a) => a.judge < 0) || head.answers[0];
  if (!said) return el('p', {class: 'lead'}, 'There is nothing to compare.');
  const [first, ...rest] = said.sentences;
  const by = head.judges.length > 1 && said.judge >= 0 ? ` (by ${head.judges[said.judge]})` : '';
  return [el('p', {class: 'lead'}, line(first)), rest.length > 0 || by ? el('p', null, line(rest.join(' ') + by)) : null];
}

function card(name, sign, title, ...body) {
  return el('section', {class: `card ${name}`}, el('h2', null, el('span', {class: 'sign', 'aria-hidden': 'true'}, sign), title), body);
}

const worths = {
  good: 'Agrees well with people',
  fair: 'Agrees fairly with people',
  weak: 'Agrees weakly with people',
  useless: 'Hardly agrees with people',
};

// trustCard says how far the judges can be believed; what is worst comes first.
function trustCard() {
  const order = ['useless', '', 'weak', 'fair', 'good'];
  const rank = (t) => order.indexOf(t.here ? t.worth : '');
  const all = state.head.trust.toSorted((a, b) => rank(a) - rank(b));
  if (all.length === 0) return card('calm', '–', 'No judge is known', el('p', null, 'Nothing is known of who judged.'));
  const worst = all[0];
  const calm = worst.here && (worst.worth === 'good' || worst.worth === 'fair');
  const title = worst.here ? worths[worst.worth] : 'Not measured on such texts';
  return card(calm ? 'calm' : 'warn', calm ? '✓' : '!', 'Can the judge be believed? ' + title + '.',
    all.slice(0, 2).map(trustLine),
    all.length > 2 ? fold(`${all.length - 2} more`, () => all.slice(2).map(trustLine)) : null);
}

function trustLine(t) {
  const on = t.here ? `on ${t.texts}` : t.measured ? `measured on ${t.texts} only` : 'never measured';
  const least = t.least ? `; the lowest of several measurements there: ${t.least}` : '';
  return el('p', null, el('b', null, line(`${t.judge}, ${t.kind}: `)), line([t.measured, on].filter(Boolean).join(', ') + least));
}

// failedCard says what failed.
function failedCard() {
  const head = state.head;
  const failed = head.rows.reduce((n, r) => n + r.failed || n, 0);
  if (head.failed.length === 0) return card('calm', '✓', 'Nothing failed', el('p', null, 'Every answer and every verdict is there.'));
  const answers = new Set(head.rows.filter((r) => r.failed).map((r) => r.system)).size;
  return card('warn', '!', 'Something failed',
    el('p', null, failed ? `Answers of ${counted(answers, 'system')} are missing. ` : '', 'What is missing is never counted as 0.'),
    fold(counted(head.failed.length, 'kind') + ' of failure', () => el('ul', null, head.failed.map((f) => el('li', null, line(f))))));
}

// missingCard tells of warnings and of what the page lacks; nothing where there is neither.
function missingCard() {
  const head = state.head;
  const said = head.lacking ? [head.lacking, ...head.warnings] : head.warnings;
  if (said.length === 0) return null;
  return card('note', 'i', head.lacking ? 'No documents here' : counted(said.length, 'warning'),
    el('p', null, line(said[0])),
    said.length > 1 ? fold(counted(said.length - 1, 'more note'), () => el('ul', null, said.slice(1).map((s) => el('li', null, line(s))))) : null);
}
