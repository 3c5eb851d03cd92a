// Searching: questions at once, answers and documents by unpacking one block after the other.

import {block} from './source.js';
import {state} from './state.js';

const most = 60; // places that are shown
const around = 70; // characters on each side of what was found

// matcher makes a function that finds a text: all its words, in any order and any case. It
// returns the place of the first, or -1.
export function matcher(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const low = text.toLowerCase();
    return words.length > 0 && words.every((w) => low.includes(w)) ? low.indexOf(words[0]) : -1;
  };
}

// snippet is the text around a place.
function snippet(text, at) {
  const start = Math.max(0, at - around);
  const cut = text.slice(start, at + around).replace(/\s+/g, ' ');
  return (start > 0 ? '…' : '') + cut + (at + around < text.length ? '…' : '');
}

// searchAll looks through all questions, answers and documents. found is told of each place,
// {kind, item, system, document, text}; progress of how much is done. stop() ends it.
export function searchAll(query, found, progress) {
  let stopped = false;
  const find = matcher(query);
  const head = state.head;
  const total = head.items.length + head.per_block.length;
  let count = 0;
  const tell = (place) => {
    if (count++ < most) found(place);
    if (count > most) stopped = true;
  };

  const run = async () => {
    for (let i = 0; i < total && !stopped; i++) {
      progress(i, total, false);
      if (i < head.items.length) findInQuestion(await block('q' + i), i, find, tell);
      else await findInDocuments(i - head.items.length, find, tell);
      if (i % 16 === 15) await new Promise((next) => setTimeout(next)); // let the page breathe
    }
    progress(total, total, count > most);
  };
  run().catch((err) => progress(0, 0, false, err));
  return () => { stopped = true; };
}

function findInQuestion(q, item, find, tell) {
  const title = state.head.items[item].title;
  if (find(title) >= 0) tell({kind: 'question', item, text: snippet(title, find(title))});
  for (const a of q.asked) {
    const at = find(a.text || '');
    if (at >= 0) tell({kind: 'statement', item, text: snippet(a.text, at)});
  }
  for (const a of q.answers) {
    const at = find(a.text);
    if (at >= 0) tell({kind: 'answer', item, system: a.system, text: snippet(a.text, at)});
  }
}

async function findInDocuments(n, find, tell) {
  const list = await block('d' + n);
  list.forEach((d, i) => {
    const at = find(d.text);
    if (at >= 0) tell({kind: 'document', document: state.head.per_block[n] + i, text: snippet(d.text, at)});
  });
}
