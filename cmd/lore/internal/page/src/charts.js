// Citation against coverage, verdicts by place and by number of documents, agreement of
// judges, and figures over several runs.

import {draw, el} from './dom.js';
import {shape} from './list.js';
import {figureOf, rowOf, state} from './state.js';
import {axisX, axisY, drawing, fitted, ticks, titled} from './svg.js';
import {seriesOf} from './intervals.js';
import {interval, number, short} from './words.js';

const bottom = 44;
const left = 42;

// plane is a drawing with two axes; x and y lead from values to places.
function plane(width, height, says, xs, ys, names) {
  const svg = drawing(width, height, says);
  const x = (v) => left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * (width - left - 14);
  const y = (v) => height - bottom - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * (height - bottom - 14);
  axisY(svg, ys[0], ys[1], y, left, width - 8);
  svg.append(draw('text', {class: 'axis', x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle'}, names[0]),
    draw('text', {class: 'axis', x: left, y: 10}, names[1]));
  return {svg, x, y};
}

// scatter draws two metrics against each other, with the edge of the best: systems that no
// other exceeds in both.
export function scatter(width) {
  const [mx, my] = state.head.figures.scatter || [];
  if (mx === undefined) return null;
  const value = (n, m) => figureOf(rowOf(n), m)?.v ?? null;
  const dots = state.head.systems.map((_, n) => [n, value(n, mx), value(n, my)]).filter(([, a, b]) => a !== null && b !== null);
  if (dots.length === 0) return null;

  const height = Math.min(420, width * 0.9);
  const titles = [state.head.metrics[mx].title, state.head.metrics[my].title];
  const {svg, x, y} = plane(width, height, `${titles[1]} against ${titles[0]} of ${dots.length} systems`, [0, 100], [0, 100], titles);
  axisX(svg, 0, 100, x, 14, height - bottom);
  const edge = dots.filter(([, a, b]) => !dots.some(([, c, d]) => c >= a && d >= b && (c > a || d > b))).sort((p, q) => p[1] - q[1]);
  svg.append(draw('path', {class: 'edge', d: edge.map(([, a, b], i) => `${i ? 'L' : 'M'}${x(a)} ${y(b)}`).join('')}));
  const onEdge = new Set(edge.map(([n]) => n));
  for (const [n, a, b] of dots) {
    const k = seriesOf(n);
    const dot = draw('g', null, k >= 0 ? shape(k, x(a), y(b), 5.5) : draw('circle', {class: 'dot faint', cx: x(a), cy: y(b), r: 4}));
    svg.append(titled(dot, `${state.head.systems[n].name}: ${titles[0]} ${number(a)}, ${titles[1]} ${number(b)}`));
    if (dots.length > 12 ? k >= 0 : k >= 0 || onEdge.has(n)) {
      const near = x(a) > width * 0.72;
      svg.append(draw('text', {class: 'name', x: x(a) + (near ? -9 : 9), y: y(b) - 7, 'text-anchor': near ? 'end' : 'start'}, fitted(state.head.systems[n].name, width * 0.3)));
    }
  }
  const rows = dots.map(([n, a, b]) => [state.head.systems[n].name, number(a), number(b), onEdge.has(n) ? 'yes' : '']);
  return {svg, table: {head: ['system', ...titles, 'on the edge'], rows}};
}

// lines draws series of {name, k, points: [place, value, words]} over named places.
export function lines(width, names, axes, series, says, top = 100) {
  const height = 260;
  const {svg, x, y} = plane(width, height, says, [-0.3, names.length - 0.7], [0, top], axes);
  const every = Math.ceil(names.length / (width / 64));
  names.forEach((name, i) => {
    if (i % every === 0) svg.append(draw('text', {class: 'tick', x: x(i), y: height - bottom + 16, 'text-anchor': 'middle'}, fitted(name, 90)));
  });
  for (const s of series) {
    svg.append(draw('path', {class: `line s${s.k % 8}`, d: s.points.map(([i, v], n) => `${n ? 'L' : 'M'}${x(i)} ${y(v)}`).join('')}));
    for (const [i, v, words, lo, hi] of s.points) {
      if (lo !== undefined && lo !== null) svg.append(draw('line', {class: `whisker s${s.k % 8}`, x1: x(i), x2: x(i), y1: y(lo), y2: y(hi)}));
      svg.append(titled(draw('g', null, shape(s.k, x(i), y(v), 4.5)), words));
    }
  }
  return el('div', null, keyOf(series), svg);
}

// keyOf says which sign is whose.
export function keyOf(series) {
  return el('p', {class: 'legend'}, series.map((s) => el('span', null,
    draw('svg', {viewBox: '0 0 14 14', width: 14, height: 14, 'aria-hidden': 'true'}, shape(s.k, 7, 7, 5)), short(s.name, 60))));
}

// binned draws the means of bins for the chosen systems.
export function binned(all, axis) {
  return (width) => {
    const own = (all || []).filter((s) => state.head.rows[s.row].judge === state.judge && seriesOf(state.head.rows[s.row].system) >= 0);
    if (own.length === 0) return null;
    const series = own.map((s) => {
      const {system} = state.head.rows[s.row];
      const {name} = state.head.systems[system];
      const points = s.means.map((v, i) => [i, v, `${name}, ${s.bins[i]}: ${number(v)} over ${s.n[i]} statements`]).filter(([, v]) => v !== null);
      return {name, k: seriesOf(system), points};
    });
    const svg = lines(width, own[0].bins, [axis, 'mean verdict'], series, `Mean verdict by ${axis}`);
    const rows = own[0].bins.map((b, i) => [b, ...own.map((s) => `${number(s.means[i])} (n ${s.n[i]})`)]);
    return {svg, table: {head: [axis, ...series.map((s) => s.name)], rows}};
  };
}

// agreement shows how every two judges agree, as tables that are shaded.
export function agreement() {
  const all = state.head.figures.agreement || [];
  if (all.length === 0) return null;
  const name = (n) => short(state.head.judges[n], 60);
  const tables = all.map((p) => {
    const most = Math.max(1, ...p.table.flat());
    const grid = el('table', {class: 'confusion'},
      el('caption', null, `${p.kind}: ${name(p.a)} (rows) and ${name(p.b)} (columns): ${number(p.same)} % of ${p.n} labels are the same${p.r === null ? '' : `, Pearson ${p.r.toFixed(2)}`}`),
      el('thead', null, el('tr', null, el('td'), p.names.map((l) => el('th', {scope: 'col'}, l)))),
      el('tbody', null, p.table.map((row, i) => el('tr', null, el('th', {scope: 'row'}, p.names[i]), row.map((n) => shaded(n, most))))));
    return grid;
  });
  const rows = all.map((p) => [p.kind, name(p.a), name(p.b), number(p.same) + ' %', p.r === null ? '–' : p.r.toFixed(2), String(p.n)]);
  return {svg: el('div', {class: 'confusions'}, tables), table: {head: ['question', 'judge', 'and judge', 'same label', 'Pearson', 'n'], rows}};
}

function shaded(n, most) {
  const cell = el('td', {class: 'number'}, el('span', null, String(n)));
  cell.style.setProperty('--share', String(Math.round((100 * n) / most)) + '%');
  return cell;
}

// trend draws a figure over several runs, a line per system that is in two of them.
export function trend(width) {
  const {head, metric, judge} = state;
  const byName = new Map();
  head.systems.forEach((s, n) => {
    const f = figureOf(rowOf(n, judge), metric);
    if (f && f.v !== null) byName.set(s.base, [...(byName.get(s.base) || []), [s.run, f]]);
  });
  const all = [...byName].filter(([, list]) => new Set(list.map(([run]) => run)).size > 1).slice(0, 8);
  if (all.length === 0) return null;
  const series = all.map(([name, list], k) => ({name, k, points: list.sort((a, b) => a[0] - b[0])
    .map(([run, f]) => [run + (k - all.length / 2) * 0.03, f.v, `${name} in ${head.runs[run].name}: ${interval(f)}`, f.lo, f.hi])}));
  const most = Math.max(...all.flatMap(([, l]) => l.map(([, f]) => f.hi ?? f.v)));
  const top = ticks(0, most * 1.25, 5).at(-1) || 1;
  const names = head.runs.map((r) => r.name);
  const svg = lines(width, names, ['run', head.metrics[metric].title], series, `${head.metrics[metric].title} over ${names.length} runs`, top);
  const rows = all.map(([name, list]) => [name, ...names.map((_, i) => interval(list.find(([run]) => run === i)?.[1]))]);
  return {svg, table: {head: ['system', ...names], rows}};
}

