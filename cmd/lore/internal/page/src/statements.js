// Statement by statement: who covers it. Those that the systems differ in come first.

import {contextNote, judgedOf} from './contexts.js';
import {button, clipped, el, fold, line} from './dom.js';
import {extended} from './extend.js';
import {marked, rootsOf, sharedRoots} from './marks.js';
import {state} from './state.js';
import {short} from './words.js';

// signs show a label by form and colour; the word stands beside them.
const signs = {full: '●', yes: '●', partial: '◐', none: '○', no: '○', neutral: '◌'};

const kinds = {
  coverage: 'Statement', entailment: 'Key point', answerability: 'Question',
  relevance: 'Relevance', consistency: 'Consistency',
};

// graded are the kinds whose verdicts grade a whole answer beside a reference, from 1 to 5: what
// is asked, and what the ends of the scale are.
const graded = {
  relevance: {asks: 'how much of the important content of the reference the answer has',
    ends: '5 says that all important content of the reference is in it, 1 that hardly any is'},
  consistency: {asks: 'whether the reference supports what the answer says',
    ends: '5 says that the reference supports all of it, 1 that it supports hardly anything'},
};

// label is a verdict as a sign and a word.
export function label(v) {
  if (!v || !v.l) return el('span', {class: 'verdict unscored', title: short(v?.x || 'not judged', 300)}, el('i', {'aria-hidden': 'true'}, '–'), 'unscored');
  const grade = signs[v.l] ? '' : ' graded';
  return el('span', {class: `verdict v${Math.round(v.v * 4)}${grade}`},
    el('i', {'aria-hidden': 'true'}, signs[v.l] || v.l), signs[v.l] ? v.l : `of ${v.grades || 5}`);
}

// order are the places of what was asked: differences first, then what nobody covers.
export function order(asked, columns) {
  if (asked.some((a, k) => k > 0 && !a.text)) return asked.map((_, k) => k); // grades of one reference
  const values = (k) => columns.map((c) => c.verdicts?.list[k]).map((v) => (v && v.l ? v.v : null));
  const spread = (k) => {
    const known = values(k).filter((v) => v !== null);
    return known.length < 2 ? 0 : Math.max(...known) - Math.min(...known);
  };
  const sum = (k) => values(k).reduce((n, v) => n + (v || 0), 0);
  return asked.map((_, k) => k).sort((a, b) => spread(b) - spread(a) || sum(a) - sum(b) || a - b);
}

// wordsOf is the text of what was asked; it is kept once where several share it.
export function wordsOf(asked, k) {
  while (k > 0 && !asked[k].text) k--;
  return asked[k].text || '';
}

// differ says how many statements the columns differ in.
export function differ(asked, columns) { return asked.filter((_, k) => differs(columns, k)).length; }

// differs says whether two columns have different labels of a statement. What is unscored is
// no label.
function differs(columns, k) {
  return new Set(columns.map((c) => c.verdicts?.list[k]?.l).filter(Boolean)).size > 1;
}

// statementTable is the table. columns are {system, name, verdicts, units, answer}; show is
// told of a cell that is looked at, open of a document.
export function statementTable(q, columns, show, open) {
  const places = order(q.asked, columns);
  const body = el('tbody');
  for (const k of places) body.append(...lineOf(q, k, columns, show, open));
  return el('table', {class: 'statements'},
    el('caption', {class: 'heard'}, 'Each statement with the verdict on each system'),
    el('thead', null, el('tr', null, el('th', {scope: 'col'}, 'What was asked of the judge'),
      columns.map((c) => el('th', {scope: 'col', class: 'who'}, short(c.name, 48))))),
    body);
}

function lineOf(q, k, columns, show, open) {
  const detail = el('tr', {class: 'detail', hidden: true}, el('td', {colspan: columns.length + 1}));
  let shown = -1;

  const cells = columns.map((c, i) => {
    const v = c.verdicts?.list[k];
    const press = () => {
      const again = shown === i;
      shown = again ? -1 : i;
      detail.hidden = again;
      buttons.forEach((b, n) => b.setAttribute('aria-expanded', String(n === shown)));
      if (again) return;
      detail.firstChild.replaceChildren(detailOf(q, k, c, open));
      show(c, v);
    };
    return el('td', {'data-name': short(c.name, 32)},
      button(label(v), press, {class: 'cell', 'aria-expanded': 'false', title: `${c.name}: how the judge came to this`}), contextNote(c, k));
  });
  const buttons = cells.map((c) => c.firstChild);
  const own = el('tr', {class: differs(columns, k) ? 'differs' : null}, el('th', {scope: 'row'}, statement(q, k)), cells);
  return [own, detail];
}

// statement is what was asked, with how many documents hold it.
function statement(q, k) {
  const asked = q.asked[k];
  if (graded[asked.kind]) return gradeOf(q, k);
  const held = asked.holders ? el('small', {class: 'note'}, ` ${asked.holders.length} ${asked.holders.length === 1 ? 'document holds' : 'documents hold'} it`) : null;
  return [el('span', {class: 'says'}, clipped(wordsOf(q.asked, k), undefined, 420)), held];
}

// gradeOf says what a grade is, and shows the reference once.
function gradeOf(q, k) {
  const asked = q.asked[k];
  const repeated = k > 0 && !asked.text;
  return [el('b', null, kinds[asked.kind]), `: ${graded[asked.kind].asks}, from 1 to 5`,
    repeated ? el('small', {class: 'note'}, ' with the same reference') : el('div', {class: 'reference'},
      el('small', {class: 'note'}, `${referenceOf(wordsOf(q.asked, k))}, from the data`), el('span', {class: 'says'}, clipped(wordsOf(q.asked, k), undefined, 420)))];
}

// referenceOf names a text that may be of several references, with lines between them.
function referenceOf(text) { return text.includes('\n---\n') ? 'The reference answers' : 'The reference answer'; }

// onScales says how a verdict, the figure above the answer and the judge's own measure belong
// together.
function onScales(kind, v) {
  if (!v?.l) return null;
  const own = v.s === undefined ? '' : `The judge's own measure is ${v.s.toFixed(2)}, from 0 to 1`;
  if (!graded[kind]) return own ? el('p', {class: 'note scales'}, `${own}; the label is made from it.`) : null;
  const grade = 1 + 4 * v.v;
  const exact = `${kinds[kind]} is shown as ${(20 * grade).toFixed(1)}, which is 20 times ${grade.toFixed(2)}`;
  const rounded = Number(v.l) === grade ? '.' : `; the grade ${v.l} of 5 is that, rounded.`;
  return el('p', {class: 'note scales'}, exact + rounded + (own ? ` ${own}, before it is put on the scale of grades.` : ''));
}

// onWhole says what a verdict is on that names no part of the answer.
function onWhole(kind, v) {
  if (graded[kind]) return `The whole answer was compared with the whole reference: ${graded[kind].ends}.`;
  if (kind === 'answerability') return 'The judge graded the answer as a whole: how well it answers the question.';
  return v.v > 0 ? 'The verdict is on the answer as a whole: the judge names no part of it.' : 'The judge found no part of the answer that says it.';
}

// holder is a button for a document that holds a statement; one that the system was not shown
// looks otherwise.
function holder(column, d, name, press) {
  const seen = column.saw(d);
  return button(short(name, 80), press, {class: seen ? 'cite holds' : 'cite', title: `${short(state.head.documents[d], 80)}: ${!column.context ? 'nobody knows whether it was shown' : seen ? 'it was shown' : 'this system was not shown it'}`});
}

// replied is what a model said, as it came.
function replied(who, text) {
  return el('div', {class: 'reply'}, el('small', {class: 'note'}, `${who} replied`), el('pre', null, clipped(text)));
}

// judgePrompts are what models were asked, on demand.
function judgePrompts(column, k, v) {
  const said = v?.rs || [];
  const prompts = (column.verdicts?.prompts || []).filter((p) => !said.length || said.some((r) => r.j === p.judge));
  if (!prompts.length) return v?.r || v?.rs?.length ? el('p', {class: 'note'}, 'What the judge was asked is not in the run folder: the same lore run command again adds it.') : null;
  return prompts.map((p) => fold(`The prompt of ${short(p.judge, 160)}`, () => el('div', {class: 'prompt'},
    p.messages.map((m) => el('section', null, el('h4', null, short(m.role, 80)), el('pre', null, clipped(m.begin + m.ends[k])))))));
}

// judgedDocuments are the verdicts on the documents themselves, where the judge gave any.
function judgedDocuments(q, k, column, open) {
  const all = judgedOf(q, column);
  if (!all.length) return null;
  const text = wordsOf(q.asked, k);
  return el('div', {class: 'beside judged'}, el('h3', null, 'The documents shown that the data does not grade, as judged'),
    el('ul', null, all.map((d) => {
      const v = d.list[k];
      return el('li', null, button(short(d.label, 80), () => open(d.number, {text, stated: true, evidence: v?.e}), {class: v?.a ? 'cite holds' : 'cite'}),
        ' ', label(v), v?.x ? el('small', {class: 'warn'}, ' ', short(v.x, 300)) : null,
        (v?.f || []).map((f) => el('small', {class: 'note'}, ' ', short(f, 300))),
        v?.r || v?.rs?.length ? fold('What was replied', () => [v.r ? replied('The judge', v.r) : null, (v.rs || []).map((r) => replied(short(r.j, 160), r.t))]) : null);
    })));
}

// detailOf shows how a judge came to a verdict: both texts with the words that carried it,
// its reply, and the documents that hold the statement.
function detailOf(q, k, column, open) {
  const v = column.verdicts?.list[k];
  const text = wordsOf(q.asked, k);
  const {kind} = q.asked[k];
  const unit = graded[kind] ? column.answer?.text || '' : v?.u ? column.units[v.u - 1] || '' : '';
  const evidence = rootsOf(v?.e);
  const roots = evidence.size > 0 ? evidence : unit ? sharedRoots(text, unit) : new Set();
  const parts = [el('p', null, el('b', null, short(column.name, 160)), ' ', label(v)), onScales(kind, v)];
  if (v?.x) parts.push(el('p', {class: 'warn'}, line('No verdict: ' + v.x)));
  if (unit) {
    parts.push(el('div', {class: 'pair'},
      el('blockquote', null, el('small', null, graded[kind] ? referenceOf(text) : kinds[kind]), clipped(text, (t) => marked(t, roots), 4000)),
      el('blockquote', null, el('small', null, graded[kind] ? 'The answer' : `Part ${v.u} of the answer, as the judge was shown it`), clipped(unit, (t) => marked(t, roots), 4000))),
    el('p', {class: 'note'}, evidence.size ? 'Marked: the words that carried the verdict.' : 'Marked: words that both texts share; the judge names none.'));
  }
  if (v?.l && (graded[kind] || !unit)) parts.push(el('p', {class: 'note'}, onWhole(kind, v)));
  for (const f of v?.f || []) parts.push(el('p', {class: 'note'}, line(f)));
  if (v?.r) parts.push(replied('The judge', v.r));
  for (const r of v?.rs || []) parts.push(replied(short(r.j, 160), r.t));
  parts.push(judgePrompts(column, k, v));
  parts.push(judgedDocuments(q, k, column, open));
  const holders = q.asked[k].holders;
  if (holders?.length) parts.push(el('p', null, 'Held by ', column.named(holders).map(([d, name]) => [holder(column, d, name, () => open(d, {text, stated: true, evidence: v?.e})), ' '])));
  return extended('verdict', el('div', {class: 'detailed'}, parts), {item: q.item, system: column.system, asked: q.asked[k].id, verdict: v});
}
