// Words that are marked in texts, and citations that open documents.

import {el} from './dom.js';
import {state} from './state.js';

// A word; a number with what parts its digits, so that 300 is no part of 3,300; an abbreviation
// with its dots, so that U.S. is one.
const words = /(?<![\p{L}\p{N}])\p{L}(?:\.\p{L}(?![\p{L}\p{N}]))+|[\p{L}\p{N}\p{M}]+(?:(?<=\p{N})[.,](?=\p{N})[\p{L}\p{N}]+)*/gu;

// common are words that mark nothing.
const common = new Set(('about above after again also and any are because been before being between both but can could did does ' +
  'each for from had has have her here his how into its itself more most not now off only other our out over own same she should ' +
  'some such than that the their them then there these they this those through under until very was were what when where which ' +
  'while who whom why will with would you your').split(' '));

// root is a word without case and its commonest English endings, so that "turbines" marks
// "turbine".
function root(word) {
  const w = word.toLowerCase().replace(/(?<=\d),(?=\d)/g, '');
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
    if (!isMarked(m[0], roots)) continue;
    out.push(text.slice(at, m.index), el('mark', null, m[0]));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at));
  return out;
}

// isMarked says whether a word is one of the roots, or its parts between dots and commas are: a
// judge may have taken it apart.
function isMarked(word, roots) {
  if (roots.has(root(word))) return true;
  const parts = word.split(/[.,]/).filter(Boolean);
  return parts.length > 1 && parts.every((p) => roots.has(root(p)));
}

// A citation is a bracket of numbers or names with commas between them.
const bracket = /[[(【]([^[\](){}【】]{1,400})[\])】]/g;

// guessed are the citations of a text, {from, to, labels, docs}, where a folder does not say
// what the scoring read. shown are the documents by label.
export function guessed(text, shown) {
  const out = [];
  for (const m of text.matchAll(bracket)) {
    const labels = m[1].split(/[,;]/).map((n) => n.trim().replace(/^(?:doc(?:ument)?|passage)s?\s*#?/i, ''));
    if (!isCitation(m[0][0], labels, shown)) continue;
    out.push({from: m.index, to: m.index + m[0].length, labels, docs: labels.map((l) => shown.get(l)?.number ?? -1)});
  }
  return out;
}

const token = /[^\s,;()[\]{}【】<>]+/g;

// linked is a text as nodes, letter for letter: what names a document in a citation is a button
// that link makes of (words, document, label); everything else is marked. cites are in order, at is where the
// text begins among them. What a citation names in no letters of its own is told to rest.
export function linked(text, at, cites, roots, link, rest) {
  const out = [];
  let done = 0;
  for (const c of cites) {
    const [from, to] = [c.from - at, c.to - at];
    if (from < done || to > text.length) continue;
    out.push(...marked(text.slice(done, from), roots), el('span', {class: 'cites'}, mark(text.slice(from, to), c, link, rest)));
    done = to;
  }
  out.push(...marked(text.slice(done), roots));
  return out;
}

// mark is a citation as nodes.
function mark(text, cite, link, rest) {
  const left = new Set(cite.labels.keys());
  const out = [];
  let done = 0;
  for (const m of text.matchAll(token)) {
    const i = [...left].find((n) => names(m[0], cite.labels[n], cite.docs[n]));
    if (i === undefined) continue;
    left.delete(i);
    out.push(text.slice(done, m.index), link(m[0], cite.docs[i], cite.labels[i]));
    done = m.index + m[0].length;
  }
  out.push(text.slice(done));
  if (left.size === cite.labels.length && left.size > 0) {
    const [first] = left;
    left.delete(first);
    out.splice(0, out.length, link(text, cite.docs[first], cite.labels[first]));
  }
  for (const i of left) rest(cite.docs[i], cite.labels[i]);
  return out;
}

// names says whether letters are those of a document: its number, or its id.
function names(letters, label, document) {
  if (letters === label || (/^\d+$/.test(letters) && String(Number(letters)) === label)) return true;
  return document >= 0 && state.head.documents[document].toLowerCase() === letters.toLowerCase();
}

// isCitation tells citations from other brackets: all names in round ones are labels, one in
// square ones is; or there are numbers alone, where labels are numbers.
function isCitation(bracket, names, labels) {
  const known = names.filter((n) => labels.has(n)).length;
  if (bracket === '(') return known === names.length;
  const numbered = labels.size > 0 && [...labels.keys()].every((l) => /^\d+$/.test(l));
  return known > 0 || (numbered && names.every((n) => /^\d{1,5}$/.test(n)));
}
