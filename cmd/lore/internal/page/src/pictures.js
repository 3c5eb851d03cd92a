// The section with all pictures. Each is drawn when it is scrolled to.

import {el, refill} from './dom.js';
import {agreement, binned, scatter, trend} from './charts.js';
import {graded, heatMap} from './heat.js';
import {bounds, differenceNote, differences, fromBest, fromBestNote, intervals, mostRows} from './intervals.js';
import {byFacet} from './radar.js';
import {onChange, state} from './state.js';
import {figure} from './svg.js';

// pictures is the section.
export function pictures() {
  const box = el('div', {class: 'plots'});
  const show = () => refill(box, list());
  onChange((before) => {
    if (before.judge !== state.judge || before.metric !== state.metric || before.systems !== state.systems) show();
  });
  show();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  return el('section', {id: 'pictures', 'aria-labelledby': 'h-pictures'}, el('h2', {id: 'h-pictures'}, 'Pictures'), box);
}

// list are the pictures that this run has something to draw for.
function list() {
  const {head} = state;
  const {figures} = head;
  const title = head.metrics[state.metric].title;
  const some = (list) => list && list.length > 0;
  const out = [];
  if (head.runs.length > 1) out.push(figure('Over the runs', `${title} of systems that are in two runs at least, with 95 % intervals.`, trend));
  out.push(figure('Intervals', `${title} with 95 % intervals.${head.systems.length > mostRows ? ` The best ${mostRows} and those chosen.` : ''}`, intervals));
  if (head.systems.length > 1) out.push(figure('Differences from the best', fromBestNote(), fromBest));
  if (state.systems.length > 1) out.push(figure('Differences, question by question', differenceNote(), differences));
  if (some(state.values?.statements)) {
    out.push(graded()
      ? figure('Grades and systems', 'A column for each grade of a question, from those that are high for most systems to those that are low. Press one to read its question.', heatMap)
      : figure('Statements and systems', 'A column for each statement, from what holds for most systems to what holds for none. Press one to read its question.', heatMap));
  }
  if (some(figures.scatter)) {
    out.push(figure('Citation against coverage', 'On the line: systems that no other exceeds in both.', scatter));
  }
  if (some(figures.bounds)) {
    out.push(figure('What the documents would have allowed', 'Dot: what was reached. Bar: the most that an answer from the documents shown can reach.', bounds));
  }
  if (some(figures.held)) {
    out.push(figure('By the number of documents that hold a statement', 'Is it easier to find what many documents say?', binned(figures.held, 'documents that hold it')));
  }
  if (some(figures.positions)) {
    out.push(figure('By place in the context', 'Mean verdict on statements, by where the first document that holds each stood. A line that falls tells of documents that are read less.',
      binned(figures.positions, 'place in the context')));
  }
  for (const f of figures.facets || []) out.push(figure(f.title, f.note, byFacet(f)));
  if (some(figures.agreement)) out.push(figure('Do the judges agree?', 'Labels that two judges gave to the same statements.', agreement));
  return out;
}
