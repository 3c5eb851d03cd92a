// The texts of an item: parts that can be chosen, and places that can be marked, sentence by
// sentence or letter by letter.

import {button, el, refill} from './dom.js';
import {asked, pointsBefore, unitsBefore, unitsOf, wholeOf} from './rules.js';

const longestSplit = 200000; // letters of a text that is parted into sentences

// passagesOf draws the texts. on.unit is told of a part that was chosen, on.mark of a place.
// update draws an answer into them.
export function passagesOf(sheet, item, on) {
  const field = (kind) => sheet.task.fields.find((f) => f.kind === kind);
  const [unit, place] = [field('unit'), field('place')];
  const texts = item.texts.map((_, n) => passage(sheet, item, n, n === 0 ? unit : undefined, place, on));
  const node = el('div', {class: 'reading'}, texts.length > 3 ? jumps(item, texts) : null, texts.map((t) => t.node));
  return {
    node,
    update: (answer) => { for (const t of texts) t.update(answer); },
    selected: () => place && selection(sheet, item, node),
  };
}

// jumps lead to the texts, where there are many.
function jumps(item, texts) {
  return el('nav', {class: 'jumps', 'aria-label': 'Texts'}, item.texts.map((t, n) => button(t.title,
    () => texts[n].node.scrollIntoView({block: 'start'}), {class: 'link'})));
}

function passage(sheet, item, n, unit, place, on) {
  const units = unitsOf(sheet, item, n);
  const whole = wholeOf(sheet, item, n);
  const parts = units.map((text, i) => part(text, i, units.length > 1 || unit, unit, on));
  const body = el('div', {class: 'passage', 'data-text': n}, units.length ? parts.map((p) => p.node) : el('p', {class: 'note'}, 'There is nothing in it.'));
  const sentences = place ? cutIntoSentences(units, whole) : null;
  if (place) listen(body, sheet, item, n, on);
  return {
    node: el('section', {class: 'shown', 'aria-label': item.texts[n].title}, el('h3', null, item.texts[n].title), body),
    update: (answer) => draw(parts, {units, whole, sentences, n, unit, place, marks: item.texts[n].marks || []}, answer),
  };
}

// part is a unit of a text; numbered ones can be chosen.
function part(text, i, numbered, unit, on) {
  const words = el('span', {class: 'words', dir: 'auto', 'data-unit': i}, text);
  const node = el('div', {class: 'unit'}, numbered ? el('span', {class: 'n', 'aria-hidden': 'true'}, String(i + 1)) : null, words);
  if (unit) node.addEventListener('click', () => { if (String(getSelection()) === '') on.unit(unit, String(i + 1)); });
  return {node, words};
}

// draw shows what was chosen and marked.
function draw(parts, about, answer) {
  const {units, whole, sentences, n, unit, place, marks} = about;
  const chosen = unit && asked(unit, answer) ? (answer.fields[unit.name] || [])[0] : '';
  parts.forEach((p, i) => {
    p.node.classList.toggle('chosen', chosen === String(i + 1));
    p.node.classList.toggle('open', Boolean(unit) && asked(unit, answer));
  });
  if (!place && marks.length === 0) return;

  const spans = (place && answer.spans[place.name] || []).filter((s) => s.text === n)
    .map((s) => ({from: unitsBefore(whole, s.from), to: unitsBefore(whole, s.to), kind: 'picked'}));
  const hints = marks.flatMap((m) => found(whole, m));
  const focused = document.activeElement?.dataset?.from;
  let at = 0;
  units.forEach((text, i) => {
    const inside = [...hints, ...spans].filter((s) => s.from < at + text.length && s.to > at);
    const cuts = sentences ? sentences[i] : [[0, text.length]];
    refill(parts[i].words, cuts.map(([from, to]) => sentence(whole, at + from, at + to, inside, Boolean(place))));
    at += text.length + 1;
  });
  if (focused !== undefined) parts[0].node.parentNode.querySelector(`[data-from="${focused}"]`)?.focus({preventScroll: true});
  rove(parts[0]?.node.parentNode);
}

// found are the places of a piece that the sheet points out.
function found(whole, piece) {
  const at = piece ? whole.indexOf(piece) : -1;
  return at < 0 ? [] : [{from: at, to: at + piece.length, kind: 'hint'}];
}

// sentence is a piece of a text, with its marks; it can be pressed where places are marked.
function sentence(whole, from, to, marks, pressable) {
  const edges = [from, to, ...marks.flatMap((m) => [m.from, m.to])].filter((e) => e >= from && e <= to).sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    if (edges[i] === edges[i + 1]) continue;
    const kinds = marks.filter((m) => m.from <= edges[i] && m.to >= edges[i + 1]).map((m) => m.kind);
    const text = whole.slice(edges[i], edges[i + 1]);
    nodes.push(kinds.length ? el('mark', {class: [...new Set(kinds)].join(' ')}, text) : text);
  }
  if (!pressable) return el('span', null, nodes);
  const picked = marks.some((m) => m.kind === 'picked' && m.from < to && m.to > from);
  return el('span', {class: 'sentence', role: 'button', tabindex: '-1', 'aria-pressed': String(picked), 'data-from': from, 'data-to': to}, nodes);
}

// cutIntoSentences are the places of the sentences of each unit, without the spaces around them.
function cutIntoSentences(units, whole) {
  if (whole.length > longestSplit || !globalThis.Intl?.Segmenter) return units.map((u) => [[0, u.length]]);
  const cutter = new Intl.Segmenter(undefined, {granularity: 'sentence'});
  return units.map((u) => {
    const out = [...cutter.segment(u)].map((s) => [s.index, s.index + s.segment.length]);
    return out.length ? out : [[0, u.length]];
  });
}

// rove lets the tab key reach one sentence, and the arrows the others.
function rove(body) {
  const all = body ? body.querySelectorAll('.sentence') : [];
  if (all.length && ![...all].some((s) => s === document.activeElement)) all[0].tabIndex = 0;
}

// listen marks what is pressed or selected.
function listen(body, sheet, item, n, on) {
  const press = (node) => {
    const whole = wholeOf(sheet, item, n);
    const [from, to] = [Number(node.dataset.from), Number(node.dataset.to)];
    const text = whole.slice(from, to);
    const start = from + (text.length - text.trimStart().length);
    if (text.trim()) on.mark(spanOf(whole, n, start, start + text.trim().length));
  };
  body.addEventListener('click', (e) => {
    const marked = selection(sheet, item, body);
    const node = e.target.closest('.sentence');
    if (marked) {
      getSelection().removeAllRanges();
      on.mark(marked);
    } else if (node) press(node);
  });
  body.addEventListener('keydown', (e) => {
    const node = e.target.closest('.sentence');
    if (!node) return;
    const all = [...body.querySelectorAll('.sentence')];
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key] || 0;
    if (e.key === ' ') press(node);
    else if (step) {
      const to = all[Math.min(all.length - 1, Math.max(0, all.indexOf(node) + step))];
      node.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  });
}

// selection is what is selected in one text, as a place in it; null where nothing is.
function selection(sheet, item, node) {
  const now = getSelection();
  if (now.rangeCount === 0 || now.isCollapsed) return null;
  const range = now.getRangeAt(0);
  const wordsAt = (place) => (place.nodeType === Node.TEXT_NODE ? place.parentElement : place).closest?.('.words');
  const [first, final] = [wordsAt(range.startContainer), wordsAt(range.endContainer)];
  const body = first?.closest('.passage');
  if (!first || !node.contains(first)) return null;

  const n = Number(body.dataset.text);
  const units = unitsOf(sheet, item, n);
  const whole = wholeOf(sheet, item, n);
  const offset = (words, container, at) => {
    const before = document.createRange();
    before.setStart(words, 0);
    before.setEnd(container, at);
    const unit = Number(words.dataset.unit);
    return units.slice(0, unit).reduce((sum, u) => sum + u.length + 1, 0) + String(before).length;
  };
  let from = offset(first, range.startContainer, range.startOffset);
  // A selection may end beyond the text, as that of a whole paragraph does.
  const inside = final && final.closest('.passage') === body;
  let to = inside ? offset(final, range.endContainer, range.endOffset) : offset(first, first, first.childNodes.length);
  while (from < to && /\s/.test(whole[from])) from++;
  while (to > from && /\s/.test(whole[to - 1])) to--;
  return from < to ? spanOf(whole, n, from, to) : null;
}

function spanOf(whole, text, from, to) {
  return {text, from: pointsBefore(whole, from), to: pointsBefore(whole, to), quote: whole.slice(from, to)};
}
