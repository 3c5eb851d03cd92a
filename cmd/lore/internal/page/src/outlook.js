// What so many labels give: the width of the intervals as it was expected, and as it goes.

import {draw, el} from './dom.js';
import {number} from './words.js';

const [width, height, left, bottom] = [280, 120, 34, 18];

// outlookPicture draws half widths over labels: expected, and those so far.
export function outlookPicture(expected, course) {
  const all = [...expected, ...course].filter((p) => p.labels > 0);
  if (all.length < 2) return null;
  const most = Math.max(...all.map((p) => p.labels));
  const top = Math.max(...all.map((p) => p.half_width)) * 1.08;
  const x = (n) => left + ((width - left - 6) * n) / most;
  const y = (h) => 6 + (height - bottom - 6) * (1 - h / top);
  const path = (points) => points.map((p, i) => `${i ? 'L' : 'M'}${x(p.labels).toFixed(1)} ${y(p.half_width).toFixed(1)}`).join('');
  const tick = (h) => [draw('line', {class: 'track', x1: left, x2: width - 6, y1: y(h), y2: y(h)}),
    draw('text', {x: left - 4, y: y(h) + 4, 'text-anchor': 'end'}, '±' + number(h, 0))];
  const now = course.at(-1);
  const steps = [top * 0.3, top * 0.85].map((h) => Math.max(1, Math.round(h)));

  return el('figure', {class: 'outlook'},
    draw('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': inWords(expected, course)},
      steps.map(tick),
      draw('text', {x: width - 6, y: height - 4, 'text-anchor': 'end'}, `${most} labels`),
      draw('path', {class: 'expected', d: path(expected)}),
      course.length > 1 ? draw('path', {class: 'course', d: path(course)}) : null,
      now ? draw('circle', {class: 'now', cx: x(now.labels), cy: y(now.half_width), r: 4}) : null),
    el('figcaption', {class: 'note'}, inWords(expected, course)));
}

function inWords(expected, course) {
  const end = expected.at(-1);
  const now = course.at(-1);
  const parts = [];
  if (now) parts.push(`The scores of these very texts are known to ±${number(now.half_width)} with ${now.labels} labelled items.`);
  if (end) parts.push(`Expected with ${end.labels}: ±${number(end.half_width)}.`);
  return parts.join(' ');
}

// duration says seconds in words.
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(10, 10 * Math.round(seconds / 10))} seconds`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${number(seconds / 3600)} hours`;
}
