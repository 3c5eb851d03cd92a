// Answers side by side: each in its parts, with its citations, what each part covers, what
// the system was shown, and the prompt.

import {answeredBy, contextSummary} from './contexts.js';
import {button, clipped, el, fold, line} from './dom.js';
import {extended} from './extend.js';
import {guessed, linked, rootsOf} from './marks.js';
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
    {number: p.doc, label: p.label, chars: p.chars, form: p.text || p.doc, gold: gold ? gold.has(p.doc) : null}]));
  const byNumber = new Map([...labels.values()].map((s) => [s.number, s]));
  const labelOf = (d) => byNumber.get(d)?.label || q.labels?.[d];
  return {
    system, row, answer, verdicts, context, labels, gold,
    name: state.head.systems[system].name,
    units: unitsOf(answer, verdicts),
    labelOf: (d) => labelOf(d) || state.head.documents[d],
    saw: (d) => byNumber.has(d),
    shown: (d) => byNumber.get(d) || {number: d, label: labelOf(d), gold: gold ? gold.has(d) : null},
    named: (list) => named(list, labelOf),
  };
}

const natural = new Intl.Collator('en', {numeric: true});

// named are documents with their names, [number, name], sorted: all by the numbers that answers
// cite, or all by their ids where one has no number.
function named(list, labelOf) {
  const numbered = list.every(labelOf);
  return list.map((d) => [d, numbered ? labelOf(d) : state.head.documents[d]]).sort((a, b) => natural.compare(a[1], b[1]));
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

// redrawUnits shows the answer letter for letter, in its parts; with a verdict it marks the part
// that carries it.
function redrawUnits(q, column, list, open, v) {
  const roots = rootsOf(v?.e);
  list.replaceChildren(...pieces(column).map(({text, from, unit, cites}) => {
    const lit = v && unit > 0 && v.u === unit;
    const holds = holding(q, column, unit);
    const rest = el('small', {class: 'note also'});
    const link = (words, document, label) => citation(words, document, label, column, holds, () =>
      open(document, {...column.shown(document), text, holds: held(q, document)}));
    const more = (document, label) => rest.append(rest.firstChild ? ', ' : ' cites ', link(short(label, 80), document, label));
    let at = from;
    const show = (t) => {
      at += t.length;
      return linked(t, at - t.length, cites, lit ? roots : null, link, more);
    };
    return el('li', {class: [lit ? 'lit' : '', unit > 0 ? '' : 'between'].filter(Boolean).join(' ') || null, value: unit > 0 ? unit : null},
      el('span', {class: 'says'}, clipped(text, show)), rest, covers(q, column, unit));
  }));
}

// pieces are an answer's parts, numbered from 1, as the system wrote them, and what stands
// between them, which is 0: {text, from, unit, cites}.
function pieces(column) {
  const {answer, units, labels} = column;
  if (!answer) return [];
  const places = answer.parts || (answer.units?.length ? null : linesOf(answer.text));
  if (!places) return units.map((text, i) => ({text, from: 0, unit: i + 1, cites: guessed(text, labels)}));

  const cites = answer.cites || guessed(answer.text, labels);
  const out = [];
  const add = (from, to, unit) => {
    if (answer.text.slice(from, to).trim()) out.push({text: answer.text.slice(from, to), from, unit, cites: cites.filter((c) => c.from >= from && c.to <= to)});
  };
  let done = 0;
  places.forEach(([from, to], i) => {
    const start = indented(answer.text, from, done);
    add(done, start, 0);
    const end = answer.text.indexOf('\n', to);
    const next = i + 1 < places.length ? places[i + 1][0] : answer.text.length;
    done = Math.min(end < 0 ? answer.text.length : end, next); // what is left of the line
    add(start, done, i + 1);
  });
  add(done, answer.text.length, 0);
  return out.map((p) => ({...p, text: p.unit ? p.text.trimEnd() : p.text.replace(/^\n+|\s+$/g, ''), from: p.unit ? p.from : p.from + p.text.match(/^\n*/)[0].length}));
}

// indented is where the white space before a place begins, in its line.
function indented(text, at, least) {
  while (at > least && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at;
}

// linesOf are the places of the lines of a text that are not blank, without white space around
// them.
function linesOf(text) {
  return [...text.matchAll(/[^\n]+/g)].filter((m) => m[0].trim())
    .map((m) => [m.index + m[0].length - m[0].trimStart().length, m.index + m[0].trimEnd().length]);
}

// citation is a button that opens a document; one that there is not is struck.
function citation(words, document, label, column, holds, press) {
  if (document < 0) {
    const why = column.answer?.cites ? 'the data has no such document' : 'no such document was shown';
    return el('span', {class: 'cite unknown', title: why}, words);
  }
  const gold = column.gold ? column.gold.has(document) : null;
  const right = holds !== null && holds.has(document);
  const says = (right ? ', holds what this part reports' : gold ? ', relevant' : gold === false ? ', not relevant' : '') +
    (column.context && !column.saw(document) ? ', not shown to this system' : '');
  return button(words, press, {
    class: 'cite' + (right ? ' holds' : gold ? ' gold' : ''),
    'aria-label': `Document ${short(label, 80)}${says}`,
    title: `Open document ${short(label, 80)}${says}`,
  });
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
  if (!unit) return null;
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
    points.map((p, i) => el('li', null, pointLabels(column.verdicts, i), ' ', short(p, 400)))));
}

// pointLabels are the verdicts on a point: against the key points, and against the documents. Where
// both were asked, words tell them apart.
function pointLabels(verdicts, i) {
  const key = verdicts?.points?.[i], held = verdicts?.held?.[i];
  if (key && held) return [el('small', null, 'key points '), label(key), el('small', null, ' documents '), label(held)];
  if (held) return [el('small', null, 'documents '), label(held)];
  return key ? label(key) : null;
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
    const d = await documentOf(state.head, p.text || p.doc);
    return p.chars >= 0 ? d.text.slice(0, p.chars) : d.text;
  }));
  return parts.join('');
}
