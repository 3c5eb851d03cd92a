// Labels in a file: the browser keeps them as they are given, and saves them where people tell
// it to.

import {button, el, refill} from './dom.js';
import {gathered} from './seat.js';
import {counted} from './words.js';

// notebook keeps the labels of a sheet.
export function notebook(sheet) {
  const book = {sheet, all: [], filed: 0, kept: true};
  const shelf = 'lore labels ' + sheet.plan;
  const remember = (name, text) => {
    try {
      localStorage.setItem(name, text);
      book.kept = true;
    } catch {
      book.kept = false; // the browser keeps nothing: only the file does
    }
  };
  const recall = (name) => {
    try {
      return localStorage.getItem(name) || '';
    } catch {
      return '';
    }
  };
  take(book, recall(shelf));
  book.filed = Number(recall(shelf + ' filed')) || 0;
  const unfiled = () => book.all.length - book.filed;
  addEventListener('beforeunload', (e) => { if (unfiled() > 0 && !book.kept) e.preventDefault(); });

  const file = (name) => {
    const own = book.all.filter((l) => l.annotator === name);
    hand(own.map((l) => JSON.stringify(l) + '\n').join(''), `labels-${sheet.task.name}-${plainName(name)}.jsonl`);
    book.filed = book.all.length;
    remember(shelf + ' filed', String(book.filed));
    return own.length;
  };
  const saveButton = (seat, says, main) => button(unfiled() ? `Save file (${unfiled()} new)` : 'Save file', (e) => {
    if (!book.all.some((l) => l.annotator === seat.name)) return refill(says(), 'There is nothing to save yet.');
    refill(says(), `${counted(file(seat.name), 'line')} handed to the browser as labels-${sheet.task.name}-${plainName(seat.name)}.jsonl.`);
    return refill(e.target, 'Save file');
  }, {class: main ? 'main' : unfiled() ? 'due' : 'quiet', id: main ? 'file-end' : 'file'});

  return {
    sheet,
    lately: () => recall('lore annotator'),
    seated: () => '',
    leave: () => {},
    open: async (name) => {
      remember('lore annotator', name);
      return {labels: book.all.filter((l) => l.annotator === name), others: gathered(sheet, name, book.all)};
    },
    save: async (label) => {
      book.all.push(label);
      remember(shelf, lines(book.all));
      return null; // what it does to the intervals only the key tells
    },
    aside: (seat) => saveButton(seat, () => document.querySelector('.says')),
    extra: (says) => loader(book, says, () => remember(shelf, lines(book.all))),
    finish: (seat) => el('div', null,
      el('p', null, 'Save the labels as a file, and send it to whoever gave you this page.'),
      saveButton(seat, () => document.querySelector('.says'), true),
      el('p', {class: 'note'}, 'They read it with lore label add.')),
  };
}

function lines(labels) { return labels.map((l) => JSON.stringify(l) + '\n').join(''); }

// take adds the labels of a text, line by line, and says what became of them.
function take(book, text) {
  const ids = new Set(book.sheet.items.map((i) => i.id));
  const there = new Set(book.all.map(nameOf));
  const out = {taken: 0, again: 0, other: 0, bad: []};
  text.replace(/^\ufeff/, '').split(/\r?\n/).forEach((line, n) => {
    if (!line.trim()) return;
    let label = null;
    try {
      label = JSON.parse(line);
    } catch {
      // told below
    }
    if (!label || typeof label.annotator !== 'string' || typeof label.item !== 'string' || !(label.undo || label.answer) || Number.isNaN(Date.parse(label.at))) out.bad.push(n + 1);
    else if (label.task !== book.sheet.task.name || !ids.has(label.item)) out.other++;
    else if (there.has(nameOf(label))) out.again++;
    else {
      there.add(nameOf(label));
      book.all.push(label);
      out.taken++;
    }
  });
  return out;
}

function nameOf(l) { return JSON.stringify([l.item, l.annotator, Date.parse(l.at), Boolean(l.undo)]); }

// loader takes labels from files that were saved before, or by others.
function loader(book, says, keep) {
  const input = el('input', {type: 'file', id: 'load', accept: '.jsonl,.json,.txt', multiple: true, change: async () => {
    const told = [];
    for (const f of input.files) {
      const r = take(book, await f.text());
      told.push(el('p', {class: r.bad.length ? 'warn' : 'note'}, [`${f.name}: ${counted(r.taken, 'label')} read`, r.again ? `${r.again} were there` : '',
        r.other ? `${counted(r.other, 'label')} of something else left out` : '', r.bad.length ? `no label: line ${r.bad.slice(0, 5).join(', ')}${r.bad.length > 5 ? ', …' : ''}` : ''].filter(Boolean).join(', ') + '.'));
    }
    book.filed = Math.max(book.filed, 0);
    keep();
    refill(says, told);
  }});
  return el('label', {class: 'choice'}, el('span', null, 'Go on from saved labels, or load those of others'), input);
}

// plainName is a name as it may stand in the name of a file.
function plainName(name) { return name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '') || 'somebody'; }

// hand has the browser save a text as a file.
function hand(text, name) {
  const address = URL.createObjectURL(new Blob([text], {type: 'application/x-ndjson'}));
  el('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
