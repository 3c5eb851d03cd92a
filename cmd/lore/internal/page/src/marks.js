// Words that are marked in texts, and citations that open documents.

import {button, el} from './dom.js';

const words = /[\p{L}\p{N}]+/gu;

// common are words that mark nothing.
const common = new Set(('about above after again also and any are because been before being between both but can could did does ' +
  'each for from had has have her here his how into its itself more most not now off only other our out over own same she should ' +
  'some such than that the their them then there these they this those through under until very was were what when where which ' +
  'while who whom why will with would you your').split(' '));

// root is a word without case and its commonest English endings, so that "turbines" marks
// "turbine".
function root(word) {
  const w = word.toLowerCase();
  if (w.length < 5) return w;
  return w.replace(/(?:ings?|ed|es|s)$/, '');
}

// rootsOf are the roots of a judge's evidence, which may be words or runs of words.
export function rootsOf(evidence) {
  return new Set((evidence || []).flatMap((e) => e.match(words) || []).map(root));
}

// sharedRoots are the roots that two texts share, common words left out.
export function sharedRoots(a, b) {
  const of = (text) => new Set((text.match(words) || []).filter((w) => (w.length > 3 || /\d/.test(w)) && !common.has(w.toLowerCase())).map(root));
  const other = of(b);
  return new Set([...of(a)].filter((w) => other.has(w)));
}

// marked is a text as nodes, with the words of the given roots marked.
export function marked(text, roots) {
  if (!roots || roots.size === 0) return [text];
  const out = [];
  let at = 0;
  for (const m of text.matchAll(words)) {
    if (!roots.has(root(m[0]))) continue;
    out.push(text.slice(at, m.index), el('mark', null, m[0]));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at));
  return out;
}

// A citation is a bracket of numbers or names with commas between them.
const bracket = /[[(【]([^[\](){}【】]{1,400})[\])】]/g;

// cited is a text as nodes: each label of a document that was shown is a button that opens
// it, everything else is marked.
export function cited(text, labels, roots, holds, open) {
  const out = [];
  let at = 0;
  for (const m of text.matchAll(bracket)) {
    const names = m[1].split(/[,;]/).map((n) => n.trim().replace(/^(?:doc(?:ument)?|passage)s?\s*#?/i, ''));
    if (!isCitation(m[0][0], names, labels)) continue;
    out.push(...marked(text.slice(at, m.index), roots), el('span', {class: 'cites'}, names.map((n) => citation(n, labels, holds, open))));
    at = m.index + m[0].length;
  }
  out.push(...marked(text.slice(at), roots));
  return out;
}

// isCitation tells citations from other brackets: all names in round ones are labels, one in
// square ones is; or there are numbers alone, where labels are numbers.
function isCitation(bracket, names, labels) {
  const known = names.filter((n) => labels.has(n)).length;
  if (bracket === '(') return known === names.length;
  const numbered = labels.size > 0 && [...labels.keys()].every((l) => /^\d+$/.test(l));
  return known > 0 || (numbered && names.every((n) => /^\d{1,5}$/.test(n)));
}

// citation is a button that opens a document; a label that nobody was shown is struck.
function citation(name, labels, holds, open) {
  const shown = labels.get(name);
  if (!shown) return el('span', {class: 'cite unknown', title: 'no such document was shown'}, name);
  const right = holds !== null && holds.has(shown.number);
  const says = right ? ', holds what this part reports' : shown.gold ? ', relevant' : shown.gold === false ? ', not relevant' : '';
  return button(name, () => open(shown), {
    class: 'cite' + (right ? ' holds' : shown.gold ? ' gold' : ''),
    'aria-label': `Document ${name}${says}`,
    title: `Open document ${name}${says}`,
  });
}
