// What the documents that a system was shown answer, beside what its answer does: for
// benchmarks that judge both. A question is lost where a document answers it and the answer
// does not.

import {el} from './dom.js';
import {state} from './state.js';
import {counted, short} from './words.js';

// inContext is what a column's documents say of a question; null where nobody can know.
function inContext(column, k) { return column.verdicts?.context?.[k] || null; }

// isLost says whether the documents answer a question, and the answer does not.
function isLost(column, k) {
  const v = column.verdicts?.list[k];
  return Boolean(inContext(column, k)?.by?.length && v?.l && !v.a);
}

// contextNote tells, below a verdict, which documents answer the question.
export function contextNote(column, k) {
  const said = inContext(column, k);
  if (!said) return null;
  return el('small', {class: isLost(column, k) ? 'context warn' : 'context'}, (isLost(column, k) ? 'lost: ' : '') + wordsFor(column, said));
}

const named = 3; // documents that a note names; of more it counts the rest

function wordsFor(column, said) {
  const by = said.by || [];
  if (by.length) {
    const names = by.slice(0, named).map((d) => short(column.labelOf(d), 24)).join(', ');
    return `in document ${names}` + (by.length > named ? ` and ${by.length - named} more` : '');
  }
  return said.open ? `not known: ${counted(said.open, 'document')} unscored` : 'in no document shown';
}

// contextSummary compares, in a sentence, an answer with the documents it was made from.
export function contextSummary(q, column) {
  const places = q.asked.map((_, k) => k).filter((k) => inContext(column, k));
  if (!places.length) return null;
  const of = (test) => places.filter(test).length;
  const held = of((k) => inContext(column, k).by?.length);
  const open = of((k) => !inContext(column, k).by?.length && inContext(column, k).open);
  const lost = of((k) => isLost(column, k));
  const own = of((k) => column.verdicts.list[k].a && !inContext(column, k).by?.length && !inContext(column, k).open);

  let text = `The documents shown answer ${held} of ${counted(places.length, 'question')}`;
  if (!column.answer?.failed) text += `, the answer ${of((k) => column.verdicts.list[k].a)}`;
  text += '.';
  if (lost) text += ` ${lost} ${lost === 1 ? 'was' : 'were'} lost on the way.`;
  if (own) text += ` ${own} ${own === 1 ? 'is' : 'are'} answered without them.`;
  if (open) text += ` Of ${open} it is not known: verdicts on documents are missing.`;
  return el('p', {class: 'context-summary'}, text);
}

// judgedOf are a column's documents that its judge has judged, in the order shown.
export function judgedOf(q, column) {
  const judge = state.head.rows[column.row]?.judge;
  const run = state.head.systems[column.system].run;
  const mine = (q.documents || []).filter((d) => d.run === run && d.judge === judge);
  return (column.context?.passages || []).flatMap((p) => {
    const d = mine.find((one) => one.doc === p.doc);
    return d ? [{number: p.doc, label: p.label, list: d.list}] : [];
  });
}

// answeredBy names the questions that a document answers, by their ids.
export function answeredBy(q, column, number) {
  return q.asked.filter((_, k) => inContext(column, k)?.by?.includes(number)).map((a) => short(a.id, 40));
}
