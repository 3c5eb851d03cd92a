// Intervals of systems, paired differences, and figures against the most that is possible.

import {draw} from './dom.js';
import {shape} from './list.js';
import {bestOf, between, contrastsOf, figureOf, ranked, rowOf, state} from './state.js';
import {axisX, drawing, fitted, titled} from './svg.js';
import {described, interval, number, pValue, short, signed} from './words.js';

const step = 24;
export const mostRows = 40;

// few are at most so many systems: the chosen ones, and the best.
export function few(metric) {
  const order = ranked(metric, state.judge).filter((n) => figureOf(rowOf(n), metric)?.v !== null && figureOf(rowOf(n), metric));
  if (order.length <= mostRows) return order;
  const best = new Set([...state.systems, ...order].slice(0, mostRows));
  return order.filter((n) => best.has(n));
}

// seriesOf is a system's place among those chosen; -1 where it is not.
export function seriesOf(system) { return state.systems.indexOf(system); }

// lanes draws a line per system with its name; paint(svg, system, y) adds what is on it.
function lanes(width, systems, scale, says, paint) {
  const left = Math.min(220, Math.round(width * 0.36));
  const height = systems.length * step + 34;
  const svg = drawing(width, height, says);
  const x = (v) => left + ((v - scale.low) / (scale.high - scale.low || 1)) * (width - left - 16);
  axisX(svg, scale.low, scale.high, x, 4, height - 24);
  systems.forEach((n, i) => {
    const y = 16 + i * step;
    const name = state.head.systems[n].name;
    svg.append(titled(draw('text', {class: 'name', x: left - 12, y: y + 4, 'text-anchor': 'end'}, fitted(name, left - 14)), name));
    paint(svg, n, y, x);
  });
  return svg;
}

// ends of the axis for some values.
function endsOf(values, fromZero) {
  const known = values.filter((v) => v !== null && v !== undefined);
  const low = Math.min(...known, fromZero ? 0 : Infinity);
  const high = Math.max(...known);
  const pad = (high - low) * 0.04 || 1;
  return {low: low < 0 || !fromZero ? low - pad : 0, high: high + pad};
}

// intervals draws each system's figure with its interval.
export function intervals(width) {
  const metric = state.head.metrics[state.metric];
  const systems = few(state.metric);
  if (systems.length === 0) return null;
  const of = (n) => figureOf(rowOf(n), state.metric);
  const scale = endsOf(systems.flatMap((n) => [of(n).lo, of(n).hi, of(n).v]), true);
  const svg = lanes(width, systems, scale, `${metric.title} of ${systems.length} systems with 95 % intervals`, (g, n, y, x) => {
    const f = of(n);
    const lane = draw('g', {class: seriesOf(n) >= 0 ? 'lane chosen' : 'lane'});
    if (f.lo !== undefined) lane.append(draw('line', {class: 'range', x1: x(f.lo), x2: x(f.hi), y1: y, y2: y}));
    lane.append(seriesOf(n) >= 0 ? shape(seriesOf(n), x(f.v), y, 5) : draw('circle', {class: 'dot', cx: x(f.v), cy: y, r: 4}));
    g.append(titled(lane, `${state.head.systems[n].name}: ${described(f, metric)}`));
  });
  return {svg, table: {head: ['system', metric.title + ' [95 % interval]'], rows: systems.map((n) => [state.head.systems[n].name, interval(of(n))])}};
}

// bounds draws each figure beside the most that the documents shown allow.
export function bounds(width) {
  const pair = boundOf();
  if (!pair) return null;
  const [metric, bound] = pair;
  const of = (n, m) => figureOf(rowOf(n), m)?.v ?? null;
  const systems = few(metric).filter((n) => of(n, bound) !== null);
  if (systems.length === 0) return null;
  const title = state.head.metrics[metric].title;
  const svg = lanes(width, systems, {low: 0, high: 100}, `${title} against the most that the context allows`, (g, n, y, x) => {
    const lane = draw('g', {class: 'lane'},
      draw('line', {class: 'range', x1: x(of(n, metric)), x2: x(of(n, bound)), y1: y, y2: y}),
      draw('path', {class: 'bound', d: `M${x(of(n, bound))} ${y - 7}V${y + 7}`}),
      draw('circle', {class: 'dot', cx: x(of(n, metric)), cy: y, r: 4}));
    g.append(titled(lane, `${state.head.systems[n].name}: ${number(of(n, metric))} of at most ${number(of(n, bound))}`));
  });
  const rows = systems.map((n) => [state.head.systems[n].name, number(of(n, metric)), number(of(n, bound)), number((100 * of(n, metric)) / of(n, bound)) + ' %']);
  return {svg, table: {head: ['system', title, 'at most', 'reached'], rows}};
}

// boundOf is the metric that is looked at with its bound, or the last one that has any.
function boundOf() {
  const all = state.head.figures.bounds || [];
  return all.find(([m]) => m === state.metric) || all.at(-1);
}

// fromBest draws how far each system lies from the best one, with the interval of the paired
// test.
export function fromBest(width) {
  const tests = contrastsOf(state.metric, state.judge);
  const all = few(state.metric);
  const best = bestOf(all, state.metric, state.judge);
  const of = new Map(all.filter((n) => n !== best).map((n) => [n, between(tests, n, best)]).filter(([, p]) => p && p.d !== null));
  if (of.size === 0) return null;
  const title = state.head.metrics[state.metric].title;
  const scale = endsOf([...of.values()].flatMap((p) => [p.d, p.lo, p.hi, 0]), false);
  const svg = lanes(width, [...of.keys()], scale, `${title} minus that of ${state.head.systems[best].name}`, (g, n, y, x) => {
    const p = of.get(n);
    const lane = draw('g', {class: p.s ? 'lane' : 'lane chosen'});
    if (p.lo !== null) lane.append(draw('line', {class: 'range', x1: x(p.lo), x2: x(p.hi), y1: y, y2: y}));
    lane.append(draw('circle', {class: p.s ? 'dot' : 'dot open', cx: x(p.d), cy: y, r: 4}));
    g.append(titled(lane, `${state.head.systems[n].name}: ${signed(p.d)} [${number(p.lo)}, ${number(p.hi)}], ${pValue(p.p)}`));
  });
  const rows = [...of].map(([n, p]) => [state.head.systems[n].name, signed(p.d), `${number(p.lo)} to ${number(p.hi)}`, pValue(p.p), p.s ? 'shown' : 'not shown']);
  return {svg, table: {head: ['system', 'difference', '95 % interval', 'p', 'a difference is'], rows}};
}

// fromBestNote says what is drawn.
export function fromBestNote() {
  const best = bestOf(few(state.metric), state.metric, state.judge);
  const c = contrastsOf(state.metric, state.judge);
  const name = best === undefined ? '' : short(state.head.systems[best].name, 80);
  return `Each system minus ${name}, on the questions both have, with 95 % intervals. Open: no difference is shown` +
    `${c ? ` (paired tests, corrected over ${c.tests})` : ''}.`;
}

// differences draws one system minus another, question by question.
export function differences(width) {
  const [a, b] = state.systems;
  const m = state.values.metrics.indexOf(state.metric);
  if (b === undefined || m < 0) return null;
  const left = state.values.rows[rowOf(a)]?.[m] || [];
  const right = state.values.rows[rowOf(b)]?.[m] || [];
  const all = left.map((v, i) => [i, v, right[i]]).filter(([, v, w]) => v !== null && w !== null && w !== undefined)
    .map(([i, v, w]) => [i, v - w]).sort((p, q) => q[1] - p[1]);
  if (all.length === 0) return null;

  const height = 240;
  const says = `${state.head.systems[a].name} minus ${state.head.systems[b].name}, ${all.length} questions`;
  const svg = drawing(width, height, says);
  const high = Math.max(...all.map(([, d]) => d), 0);
  const low = Math.min(...all.map(([, d]) => d), 0);
  const y = (v) => height - 14 - ((v - low) / (high - low || 1)) * (height - 28);
  const each = (width - 50) / all.length;
  for (const t of new Set([low, 0, high])) {
    svg.append(draw('line', {class: t === 0 ? 'zero' : 'grid', x1: 44, x2: width, y1: y(t), y2: y(t)}),
      draw('text', {class: 'tick', x: 38, y: y(t) + 4, 'text-anchor': 'end'}, signed(t)));
  }
  all.forEach(([i, d], k) => {
    const bar = draw('rect', {class: d < 0 ? 'bar-b' : 'bar-a', x: 46 + k * each, width: Math.max(0.6, each * 0.82), y: Math.min(y(0), y(d)), height: Math.max(1, Math.abs(y(d) - y(0)))});
    svg.append(titled(bar, `${state.head.items[i].title.slice(0, 120)}: ${signed(d)}`));
  });
  return {svg, table: {head: ['question', says], rows: all.map(([i, d]) => [state.head.items[i].title.slice(0, 200), signed(d)])}};
}

// differenceNote says what the test of the two found.
export function differenceNote() {
  const [a, b] = state.systems;
  if (b === undefined) return 'Choose two systems in the table.';
  const name = (n) => short(state.head.systems[n].name, 80);
  const p = between(contrastsOf(state.metric, state.judge), a, b);
  const says = `${name(a)} minus ${name(b)} on ${state.head.metrics[state.metric].title}. Above the line ${name(a)} is better.`;
  if (!p) return says + ' The page has no test of these two: lore compare makes it.';
  return `${says} Mean ${signed(p.d)} [${number(p.lo)}, ${number(p.hi)}], ${pValue(p.p)}: ${p.s ? 'a difference is shown' : 'no difference can be shown'}.`;
}
