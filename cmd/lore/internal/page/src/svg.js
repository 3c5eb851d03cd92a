// What pictures share: a frame, an axis, and a figure with its words and its table.

import {draw, el, fold, line, onceSeen, refill} from './dom.js';
import {number, short} from './words.js';

// figure is a picture with a heading, a note and a table that says the same. drawInto(width)
// returns {svg, table: {head, rows}}, or null where there is nothing to draw; it is called
// when the picture is scrolled to, and again when the page gets another width.
export function figure(title, note, drawInto) {
  const picture = el('div', {class: 'picture'});
  const node = el('figure', {class: 'plot'}, el('figcaption', null, el('h3', null, title), el('p', {class: 'note'}, line(note))), picture);
  let width = 0;
  node.redraw = () => {
    width = Math.min(760, picture.clientWidth || 340);
    const made = drawInto(width);
    if (!made) return refill(picture, el('p', {class: 'note'}, 'There is nothing to draw.'));
    const {head, rows} = made.table;
    return refill(picture, made.svg, fold('The same as a table', () => el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title},
      plainTable(title, head, rows))));
  };
  onceSeen(node, () => {
    node.redraw();
    window.addEventListener('resize', () => { if (Math.abs(picture.clientWidth - width) > 20 && node.isConnected) node.redraw(); });
  });
  return node;
}

// plainTable is a table of words.
export function plainTable(title, head, rows) {
  const numeric = head.map((_, c) => rows.length > 0 && rows.every((r) => /^(?:[-−+±]?\d|–)/.test(r[c])));
  return el('table', null, title ? el('caption', {class: 'heard'}, short(title, 200)) : null,
    el('thead', null, el('tr', null, head.map((h, c) => el('th', {scope: 'col', class: numeric[c] ? 'number' : null}, line(h))))),
    el('tbody', null, rows.map((r) => el('tr', null, r.map((v, c) => el('td', {class: numeric[c] ? 'number' : null}, line(v)))))));
}

// canvasOf is an empty drawing with its words for who does not see it.
export function drawing(width, height, says) {
  return draw('svg', {class: 'drawing', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': says});
}

// ticks are round values between two ends.
export function ticks(low, high, most = 6) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => span / s <= most) || 10 * power;
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step / 1e6; v += step) out.push(Math.round(v / power) * power);
  return out;
}

// axisX draws vertical lines with numbers under them.
export function axisX(svg, low, high, x, top, bottom) {
  for (const t of ticks(low, high)) {
    svg.append(draw('line', {class: t === 0 && low < 0 ? 'zero' : 'grid', x1: x(t), x2: x(t), y1: top, y2: bottom}),
      draw('text', {class: 'tick', x: x(t), y: bottom + 15, 'text-anchor': 'middle'}, number(t, Math.abs(t) % 1 ? 1 : 0)));
  }
}

// axisY draws horizontal lines with numbers beside them.
export function axisY(svg, low, high, y, left, right) {
  for (const t of ticks(low, high, 5)) {
    svg.append(draw('line', {class: 'grid', x1: left, x2: right, y1: y(t), y2: y(t)}),
      draw('text', {class: 'tick', x: left - 6, y: y(t) + 4, 'text-anchor': 'end'}, number(t, Math.abs(t) % 1 ? 1 : 0)));
  }
}

// fitted is a name that has room in a width, at about 6.6 units a letter.
export function fitted(name, width) { return short(name, Math.max(4, Math.floor(width / 6.6))); }

// titled gives a mark words that show when it is pointed at.
export function titled(node, words) {
  node.append(draw('title', null, short(words, 400)));
  return node;
}
