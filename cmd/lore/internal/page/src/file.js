// The page of a labelling file.

import {el, refill} from './dom.js';
import {block} from './source.js';
import {labelDesk} from './desk.js';
import {notebook} from './notebook.js';

// start draws the page.
export async function start() {
  const page = document.getElementById('page');
  if (typeof DecompressionStream === 'undefined') {
    refill(page, el('p', {class: 'warn'}, 'This browser is too old for the page. Chromium 103, Firefox 113, Safari 16.4 and newer can show it.'));
    return;
  }
  try {
    labelDesk(page, notebook(await block('sheet')));
  } catch (err) {
    refill(page, el('p', {class: 'warn'}, 'The page cannot be shown: ' + err.message));
  }
}
