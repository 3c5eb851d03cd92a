// Answers side by side: each in its parts, with its citations, what each part covers, what
// the system was shown, and the prompt.

import {answeredBy, contextSummary} from './contexts.js';
import {button, clipped, el, fold, line} from './dom.js';
import {extended} from './extend.js';
import {cited, rootsOf} from './marks.js';
import {goldBadge} from './reader.js';
import {documentOf} from './source.js';
import {label, wordsOf} from './statements.js';
import {figureOf, rowOf, state} from './state.js';
import {counted, number, short} from './words.js';

// columnOf is all that is known of a system's answer to a question.
export function columnOf(q, system) {
  const row = rowOf(system);
  const answer = q.answers.find((a) => a.system === system) || null;
  const verdicts = q.verdicts.find((v) => v.row === row) || null;
  const context = answer && answer.context >= 0 ? q.contexts[answer.context] : null;
  const gold = q.gold ? new Set(q.gold) : null;
  const labels = new Map((context?.passages || []).map((p) => [p.label,
    {number: p.doc, label: p.label, chars: p.chars, gold: gold ? gold.has(p.doc) : null}]));
  const byNumber = new Map([...labels.values()].map((s) => [s.number, s.label]));
  return {
    system, row, answer, verdicts, context, labels, gold,
    name: state.head.systems[system].name,
    units: unitsOf(answer, verdicts),
    labelOf: (d) => byNumber.get(d) || state.head.documents[d],
    saw: (d) => byNumber.has(d),
  };
}

// unitsOf are the parts of an answer that verdicts name by number: its lines, if nothing
// else is said. Where no verdict names a part beyond the first, it is one text.
function unitsOf(answer, verdicts) {
  if (!answer) return [];
  if (answer.units?.length) return answer.units;
  return answer.text.split('\n').map((l) => l.trim()).filter(Boolean);
}

// answerCard is a system's answer. open opens a document.
export function answerCard(q, column, open) {
  const {answer} = column;
  const named = (column.verdicts?.list || []).some((v) => v.u > 0);
  const list = el('ol', {class: named ? 'units' : 'units plain'});
  const card = el('article', {class: 'answer-card', 'aria-label': short(column.name, 160)},
    el('header', null, el('h3', null, short(column.name, 160)), figures(q, column)),
    contextSummary(q, column), failure(answer), list, pointsOf(column),
    (answer?.notes || []).map((n) => el('p', {class: 'note'}, line(n))),
    (column.verdicts?.notes || []).length ? fold(counted(column.verdicts.notes.length, 'note') + ' of the benchmark',
      () => el('ul', null, column.verdicts.notes.map((n) => el('li', null, line(n))))) : null,
    shownFold(q, column, open), promptFold(column));
  column.card = card;
  column.light = (v) => redrawUnits(q, column, list, open, v);
  column.light(null);
  return extended('answer', card, {item: q.item, system: column.system});
}

// redrawUnits shows the parts; with a verdict it marks the part that carries it.
function redrawUnits(q, column, list, open, v) {
  const roots = rootsOf(v?.e);
  const say = (shown, text) => open(shown.number, {...shown, text, holds: held(q, shown.number)});
  list.replaceChildren(...column.units.map((unit, i) => {
    const lit = v && v.u === i + 1;
    const holds = holding(q, column, i + 1);
    const show = (t) => cited(t, column.labels, lit ? roots : null, holds, (s) => say(s, unit));
    return el('li', {class: lit ? 'lit' : null}, el('span', {class: 'says'}, clipped(unit.replace(/^[-*•]\s+/, ''), show)), covers(q, column, i + 1));
  }));
}

// holding are the documents that hold a statement which a part carries; null where nobody
// knows, or it carries none.
function holding(q, column, unit) {
  const carried = (column.verdicts?.list || []).map((v, k) => [v, q.asked[k].holders]).filter(([v, h]) => v.u === unit && v.v > 0 && h);
  return carried.length ? new Set(carried.flatMap(([, h]) => h)) : null;
}

// held are the texts of the statements that a document holds.
export function held(q, number) {
  return q.asked.map((a, k) => [a, k]).filter(([a]) => a.holders?.includes(number)).map(([, k]) => wordsOf(q.asked, k));
}

// covers says which statements a part carries.
function covers(q, column, unit) {
  const out = [];
  (column.verdicts?.list || []).forEach((v, k) => {
    if (v.u === unit && v.v > 0) out.push(el('li', {title: wordsOf(q.asked, k)}, label(v), ' ', short(wordsOf(q.asked, k), 72)));
  });
  return out.length ? el('ul', {class: 'covers', 'aria-label': 'What it covers'}, out) : null;
}

// figures are the lead metrics of this question, and what the answer cost.
function figures(q, column) {
  const {values, head} = state;
  const row = column.row;
  const of = (values?.metrics || []).map((m, i) => [m, values.rows[row]?.[i]?.[q.item]]).filter(([, v]) => v !== null && v !== undefined);
  const [context, prompt, output] = column.answer?.tokens || [0, 0, 0];
  const tokens = [
    context ? `${counted(context, 'token')} of documents` : '',
    prompt ? `${counted(prompt, 'token')} asked` : '',
    output ? `${counted(output, 'token')} answered` : '',
  ].filter(Boolean).join(', ');
  return [
    el('p', {class: 'figures'}, of.map(([m, v]) => el('span', {title: `over all: ${number(figureOf(row, m)?.v)}`}, head.metrics[m].title, ' ', el('b', null, number(v))))),
    tokens ? el('p', {class: 'note'}, tokens) : null,
  ];
}

function failure(answer) {
  if (!answer) return el('p', {class: 'warn'}, 'The run has no answer of this system to this question.');
  if (answer.failed) return el('p', {class: 'warn'}, line(`No answer (${answer.outcome}): ${answer.reason || 'no reason given'}`));
  if (answer.outcome) return el('p', {class: 'warn'}, line(`The answer is ${answer.outcome}: ${answer.reason}. It is scored as it stands.`));
  return null;
}

// pointsOf are the answer's own points with their verdicts.
function pointsOf(column) {
  const points = column.answer?.points || [];
  if (!points.length) return null;
  return fold(`${counted(points.length, 'point')} of its own`, () => el('ul', {class: 'points'},
    points.map((p, i) => el('li', null, column.verdicts?.points?.[i] ? label(column.verdicts.points[i]) : null, ' ', short(p, 400)))));
}

// shownFold lists the documents that the system was shown.
function shownFold(q, column, open) {
  const {context, answer} = column;
  if (!context) return null;
  const left = answer.dropped ? `, ${answer.dropped} left out` : '';
  const relevant = column.gold ? `, ${context.passages.filter((p) => column.gold.has(p.doc)).length} relevant` : '';
  return fold(`Shown: ${counted(context.passages.length, 'document')}${relevant}${left}`, () => el('ol', {class: 'passages'},
    context.passages.map((p) => el('li', null,
      button(short(`${p.label} · ${state.head.documents[p.doc]}`, 200), () => open(p.doc, {...column.labels.get(p.label), holds: held(q, p.doc)}), {class: 'link'}),
      ' ', goldBadge(column.gold ? column.gold.has(p.doc) : null), p.chars >= 0 ? el('small', {class: 'note'}, ' cut') : null, answering(q, column, p.doc)))));
}

// answering says which questions a document answers.
function answering(q, column, number) {
  const ids = answeredBy(q, column, number);
  return ids.length ? el('small', {class: 'note'}, ` answers question ${ids.join(', ')}`) : null;
}

// promptFold puts the prompt together from its words and the documents.
function promptFold(column) {
  const prompt = column.context?.prompt;
  if (!prompt) return null;
  return fold('The prompt', () => {
    const box = el('div', {class: 'prompt'}, 'Putting it together …');
    Promise.all(prompt.map((m) => messageText(m, column.context))).then((texts) => box.replaceChildren(
      ...prompt.map((m, i) => el('section', null, el('h4', null, short(m.role, 80)), el('pre', null, clipped(texts[i]))))));
    return box;
  });
}

async function messageText(message, context) {
  const parts = await Promise.all(message.parts.map(async (part) => {
    if (typeof part === 'string') return part;
    const p = context.passages[part - 1];
    const d = await documentOf(state.head, p.doc);
    return p.chars >= 0 ? d.text.slice(0, p.chars) : d.text;
  }));
  return parts.join('');
}
