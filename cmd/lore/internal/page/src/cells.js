// Figures in cells: a number, its interval drawn under it, and a mark of the best.

import {draw, el} from './dom.js';
import {described, number} from './words.js';

const wide = 112;
const high = 10;

// scaleOf is the end of a metric's axis, the same in all rows: whole steps above the largest
// figure. What may fall below zero begins at its least.
export function scaleOf(rows, metric) {
  let least = 0;
  let most = 0;
  for (const r of rows) {
    const f = r.figures[metric];
    if (!f || f.v === null) continue;
    least = Math.min(least, f.lo ?? f.v);
    most = Math.max(most, f.hi ?? f.v);
  }
  const step = 10 ** Math.floor(Math.log10(Math.max(most - least, 1e-9)));
  const end = Math.ceil(most / step) * step || 1;
  return {least: least < 0 ? Math.floor(least / step) * step : 0, most: end};
}

// place is where a value stands, from 0 to a width.
export function place(v, scale, width) {
  return Math.round(((v - scale.least) / (scale.most - scale.least)) * width * 10) / 10;
}

// bar draws a figure with its interval on an axis.
export function bar(f, scale) {
  const y = high / 2;
  const svg = draw('svg', {class: 'bar', viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, 'aria-hidden': 'true'},
    draw('line', {class: 'track', x1: 0, x2: wide, y1: y, y2: y}));
  if (!f || f.v === null) return svg;
  if (f.lo !== undefined && f.lo !== null) {
    const x = place(f.lo, scale, wide);
    svg.append(draw('rect', {class: 'range', x, y: y - 2.5, width: Math.max(1.5, place(f.hi, scale, wide) - x), height: 5, rx: 2.5}));
  }
  svg.append(draw('circle', {class: 'dot', cx: Math.min(wide - 4, Math.max(4, place(f.v, scale, wide))), cy: y, r: 4}));
  return svg;
}

// marks say how a system stands to the best.
const marks = {
  best: ['best', 'the highest value of those that compete'],
  open: ['not told apart', 'not told apart from the best: no difference is shown, which does not mean that it is as good'],
};

// standingMark is the mark of a standing; nothing where it is worse.
export function standingMark(standing) {
  const mark = marks[standing];
  return mark ? el('span', {class: 'mark-' + standing, title: mark[1]}, mark[0]) : null;
}

// figureCell is a cell of a lead metric.
export function figureCell(f, metric, scale, standing, props) {
  const says = described(f, metric);
  return el('td', {...props, title: says},
    el('span', {class: 'figure'}, standing === 'best' ? standingMark(standing) : null, el('b', null, number(f?.v))),
    bar(f, scale),
    standing === 'open' ? standingMark(standing) : null,
    f?.missing ? el('span', {class: 'missing', title: `${f.missing} values are missing, never counted as 0`}, `${f.missing} missing`) : null,
    el('span', {class: 'heard'}, says));
}

// numberCell is a cell of another metric, with how much was asked for.
export function numberCell(f, asked, metric, props) {
  const text = number(f?.v) + (asked && asked.v !== null ? ` of ${number(asked.v)}` : '');
  return el('td', {...props, title: described(f, metric)}, text);
}
