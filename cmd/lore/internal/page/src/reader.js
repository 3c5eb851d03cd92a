// A document that was opened: its text, whether it is relevant, which statements it holds,
// and the words that a statement or a bullet shares with it.

import {button, clipped, el, refill} from './dom.js';
import {marked, rootsOf, sharedRoots} from './marks.js';
import {documentOf} from './source.js';
import {state} from './state.js';
import {short} from './words.js';

let dialog = null;

// openDocument shows a document by its number. about may tell where it was opened from:
// label and chars (as it stands in a context), gold, text (that cites or states), evidence,
// holds (texts of the statements that it holds), form (the text that was shown instead of its
// own), to (which systems were shown it: {name, shown, or null}).
export async function openDocument(number, about = {}) {
  if (!dialog) {
    dialog = el('dialog', {class: 'reader', 'aria-labelledby': 'reader-title'});
    dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
    document.body.append(dialog);
  }
  const d = await documentOf(state.head, about.form || number);
  refill(dialog, heading(d, about), body(d, about));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  dialog.querySelector('mark')?.scrollIntoView({block: 'center'});
}

// isReading says whether a document is open.
export function isReading() { return dialog !== null && dialog.open; }

function heading(d, about) {
  const name = about.label ? `Document ${short(about.label, 80)}` : 'Document';
  return el('header', null,
    el('h2', {id: 'reader-title'}, name),
    button('Close', () => dialog.close(), {class: 'quiet', autofocus: true}),
    el('p', {class: 'note'}, short(d.id, 200), ' ', goldBadge(about.gold)));
}

// goldBadge says whether the data calls a document relevant.
export function goldBadge(gold) {
  if (gold === null || gold === undefined) return null;
  return el('span', {class: gold ? 'badge gold' : 'badge'}, gold ? '★ relevant' : 'not relevant');
}

function body(d, about) {
  if (!d.text) return el('p', null, 'No system is known to have been shown this document: its text is not in the run folder.');
  const evidence = rootsOf(about.evidence);
  const shared = about.text ? sharedRoots(about.text, d.text) : new Set();
  const roots = evidence.size > 0 ? new Set([...evidence, ...shared]) : shared;
  const cut = about.chars >= 0 && about.chars !== undefined ? about.chars : d.text.length;
  const show = (part) => marked(part, roots);
  return [
    about.text ? el('div', {class: 'beside'},
      el('h3', null, about.stated ? 'The statement' : 'What cites it'), el('blockquote', null, marked(short(about.text, 1200), roots)),
      el('p', {class: 'note'}, roots.size ? 'Marked: words that both texts share' + (evidence.size ? ', and those the judge went by' : '') + '.'
        : 'The two texts share no telling words.')) : null,
    about.holds && about.holds.length ? el('div', {class: 'beside'}, el('h3', null, 'It holds'),
      el('ul', null, about.holds.map((h) => el('li', null, short(h, 300))))) : null,
    about.to?.length ? el('p', {class: 'note shown-to'}, about.to.map((t) => `${short(t.name, 80)} ${amount(t.shown, d)}`).join('; ') + '.') : null,
    el('div', {class: 'text', tabindex: '0', role: 'region', 'aria-label': 'Text of the document'}, clipped(d.text.slice(0, cut), show, 40000)),
    cut < d.text.length ? el('div', {class: 'unseen'}, el('p', {class: 'note'}, 'The system was shown the text up to here; this was cut off:'),
      clipped(d.text.slice(cut), show, 4000)) : null,
  ];
}

// amount says how much of a document a system was shown.
function amount(shown, d) {
  if (!shown) return 'was not shown it';
  if (shown.form !== shown.number) return 'was shown another text of it';
  if (shown.chars < 0) return 'was shown all of it';
  return `was shown its first ${shown.chars.toLocaleString('en')} of ${d.text.length.toLocaleString('en')} characters`;
}
