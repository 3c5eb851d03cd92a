// What else is said, folded: tables, what figures mean, and how it was run.

import {clipped, el, fold, line} from './dom.js';
import {state} from './state.js';
import {plainTable} from './svg.js';
import {short} from './words.js';

// notes is the section.
export function notes() {
  const head = state.head;
  const table = (t) => fold(short(t.title || 'Table', 200), () => [
    el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': short(t.title || 'Table', 200)}, plainTable(t.title, t.head, t.rows)),
    t.note ? el('p', {class: 'note'}, clipped(t.note)) : null,
  ]);
  return el('section', {id: 'notes', 'aria-labelledby': 'h-notes'}, el('h2', {id: 'h-notes'}, 'Notes'),
    fold('What the figures mean', () => el('dl', null,
      head.metrics.map((m) => [el('dt', null, m.title), el('dd', null, m.explain)]),
      el('dt', null, 'Intervals'), el('dd', null, line(head.interval)),
      head.reading ? [el('dt', null, 'Citations'), el('dd', null, line(head.reading))] : null,
      el('dt', null, 'Best'), el('dd', null, 'Paired tests over the questions that two systems share, corrected over all pairs of a metric (Holm), ' +
        'level 0.05, as lore compare makes them. “Not told apart”: no difference from the best can be shown, which does not mean that a system is as good. ' +
        'Intervals are of each difference by itself. Ends of the scale, such as oracle and random, are tested with the others, and not marked.'))),
    head.tables.map(table),
    fold('How it was run', () => el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'How it was run'},
      el('table', {class: 'settings'}, el('tbody', null, head.settings.map(([name, value]) => el('tr', null, el('th', {scope: 'row'}, line(name)), el('td', null, clipped(value)))))))),
    el('p', {class: 'note'}, 'Made by lore ', short(head.lore, 80), '. This page needs no network and sends nothing.'));
}
