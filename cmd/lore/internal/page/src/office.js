// Labelling from a server: it keeps the labels.

import {ask, tell} from './ask.js';
import {labelDesk} from './desk.js';
import {button, el, refill} from './dom.js';
import {results} from './results.js';

// labelPage draws the labelling folder with an id: its desk, or its results.
export async function labelPage(node, id) {
  const show = async () => {
    if (location.hash === '#results') await resultPage(node, id);
    else labelDesk(node, keeperOf(id, await ask(`/label/${id}/sheet`)));
  };
  addEventListener('hashchange', () => location.reload());
  await show();
}

const nameKey = 'lore annotator';

function keeperOf(id, sheet) {
  const seatKey = 'lore seat ' + id;
  return {
    sheet,
    home: '/',
    seated: () => sessionStorage.getItem(seatKey) || '',
    leave: () => sessionStorage.removeItem(seatKey),
    lately: () => sessionStorage.getItem(nameKey) || '',
    open: async (name) => {
      const seat = await ask(`/label/${id}/labels?annotator=${encodeURIComponent(name)}`);
      sessionStorage.setItem(nameKey, name);
      sessionStorage.setItem(seatKey, name);
      return seat;
    },
    save: async (label) => (await tell(`/label/${id}/labels`, label)).point || null,
  };
}

async function resultPage(node, id) {
  const draw = async () => refill(node, el('p', {class: 'home'}, el('a', {href: '/'}, '← All runs'), ' · ', el('a', {href: '#'}, 'Label')),
    el('h1', null, 'Results of labelling'), el('p', {class: 'note'}, 'They name the systems: they are for whoever runs the evaluation, once nobody labels any more.'), button('Look again', () => draw(), {class: 'quiet'}), results(await ask(`/label/${id}/status`)));
  await draw();
  document.title = 'Results of labelling';
  document.documentElement.dataset.ready = 'yes';
}
