// What labels say so far, for whoever runs the evaluation: it names systems.

import {place} from './cells.js';
import {draw, el} from './dom.js';
import {number, short} from './words.js';

// results draws the state of a labelling folder.
export function results(s) {
  const judge = s.judge ? `judge ${s.judge}` : 'the data';
  return [
    el('h2', null, 'Who has labelled'),
    el('p', null, `${s.decided} of ${s.planned} items.` + (s.split ? ` Annotators differ on ${s.split}.` : '')),
    table(['', 'labelled', 'of', 'cannot tell', 'undone', 'seconds, median'], s.annotators.map((a) => [a.name + (a.adjudicates ? ' (decides)' : ''),
      a.done, a.of, a.cannot_tell, a.undone, number(a.seconds_median, 0)])),
    el('h2', null, 'Do people agree?'),
    s.agreement.length ? table(['question', 'items', 'alpha', 'kappa', 'Fleiss', 'Pearson'], s.agreement.map((a) => [a.question, a.items,
      number(a.alpha, 2), number(a.kappa, 2), number(a.fleiss, 2), number(a.pearson, 2)])) : el('p', {class: 'note'}, 'No item has been labelled by two people yet.'),
    el('p', {class: 'note'}, 'alpha: Krippendorff’s, of values; kappa: Cohen’s with quadratic weights, mean over pairs; both 1 where all agree, 0 as by chance.'),
    el('h2', null, 'Scores, corrected by people'),
    bars(s.corrected, judge),
    el('p', {class: 'note'}, 'Times 100. The bar is the 95 % interval for these very texts, the thin line that for items like these; the ring is what ' + judge + ' says.'),
    s.differences.length ? [el('h2', null, 'Differences from the best'),
      table(['best', 'other', 'difference', '95 % interval', 'for items like these'], s.differences.map((d) => [d.of, d.over, number(d.corrected), range(d.interval), range(d.interval_for_items_like_these)]))] : null,
  ];
}

function range([low, high]) { return low === null || high === null ? '–' : `${number(low)} to ${number(high)}`; }

function table(heads, rows) {
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': heads.filter(Boolean).join(', ')}, el('table', {class: 'calls'},
    el('thead', null, el('tr', null, heads.map((h) => (h ? el('th', {scope: 'col'}, h) : el('td'))))),
    el('tbody', null, rows.map((r) => el('tr', null, r.map((c, i) => (i ? el('td', {class: /^[−–\d]/.test(String(c)) ? 'number' : null}, short(String(c), 200)) : el('th', {scope: 'row'}, short(String(c), 200)))))))));
}

// bars are the corrected scores, each with its intervals and what the judge says.
function bars(list, judge) {
  const scale = {least: 0, most: 100};
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Corrected scores'}, el('table', {class: 'calls bars-table'},
    el('thead', null, el('tr', null, ['of', 'question', judge, 'corrected', '95 % interval', 'labelled', ''].map((h) => (h ? el('th', {scope: 'col'}, short(h, 60)) : el('td'))))),
    el('tbody', null, list.map((c) => el('tr', null, el('th', {scope: 'row'}, short(c.of, 120)), el('td', null, c.question || ''),
      el('td', {class: 'number'}, number(c.judge)), el('td', {class: 'number'}, number(c.corrected)), el('td', {class: 'number'}, range(c.interval)),
      el('td', {class: 'number'}, `${c.labelled} of ${c.of_all}`), el('td', null, bar(c, scale)))))));
}

function bar(c, scale) {
  const x = (v) => 4 + place(v, scale, 152);
  const line = ([low, high], kind) => (low === null || high === null ? null : draw('line', {class: kind, x1: x(low), x2: x(high), y1: 9, y2: 9}));
  return draw('svg', {class: 'bars', viewBox: '0 0 160 18', width: 160, height: 18, 'aria-hidden': 'true'},
    draw('line', {class: 'track', x1: 4, x2: 156, y1: 9, y2: 9}), line(c.interval_for_items_like_these, 'wide'), line(c.interval, 'narrow'),
    c.judge === undefined || c.judge === null ? null : draw('circle', {class: 'judge', cx: x(c.judge), cy: 9, r: 4}),
    c.corrected === null ? null : draw('circle', {class: 'corrected', cx: x(c.corrected), cy: 9, r: 3}));
}
