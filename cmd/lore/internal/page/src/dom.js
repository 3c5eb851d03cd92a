// Building the page. Text from outside becomes text nodes, never markup: nothing here, or
// anywhere else in the page, parses HTML.

const SVG = 'http://www.w3.org/2000/svg';

const spoken = new Set(['title', 'aria-label']);
const longestHint = 600;

// hint is a text that shows when something is pointed at, or is heard: nobody reads a
// megabyte so.
function hint(text) { return text.length > longestHint ? text.slice(0, longestHint - 1) + '…' : text; }

// fill puts properties and children into a node. A property that is a function listens to
// the event of its name; others are attributes, and null or false leaves one out.
function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : spoken.has(name) ? hint(String(value)) : String(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(typeof child === 'string' ? visible(child) : child);
  }
  return node;
}

// Control characters, those that turn the direction of what follows, and letters without width
// that no script needs. Joiners stay: emoji and scripts do need them.
const unseen = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

// visible is a text with signs for what cannot be seen, letter for letter, so that places in it
// stay where they are.
function visible(text) {
  return text.replace(unseen, (c) => (c < ' ' ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : c === '\x7f' ? '\u2421' : '\ufffd'));
}

// el makes an element: el('p', {class: 'note'}, 'text', el('b', null, 'more')).
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

// draw makes an element of a picture.
export function draw(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

// refill replaces what is in a node.
export function refill(node, ...children) {
  node.replaceChildren();
  return fill(node, null, children);
}

// choice is a list to choose from, with its label. options are [value, words] pairs.
export function choice(label, options, value, change) {
  const select = el('select', {change: () => change(select.value)},
    options.map(([v, words]) => el('option', {value: v, selected: v === value}, words)));
  return el('label', {class: 'choice'}, el('span', null, label), select);
}

// tick is a box to tick, with its label.
export function tick(label, checked, change) {
  const box = el('input', {type: 'checkbox', checked, change: () => change(box.checked)});
  return el('label', {class: 'tick'}, box, el('span', null, label));
}

// button is a button that says what it does; describe is for those that show only a sign.
export function button(words, click, props) {
  return el('button', {type: 'button', click, ...props}, words);
}

// fold is a part that is opened by its summary; body is made when it is opened first.
export function fold(summary, body, open) {
  const details = el('details', {class: 'fold', open}, el('summary', null, summary));
  let made = false;
  const make = () => {
    if (!details.open || made) return;
    made = true;
    details.append(el('div', {class: 'folded'}, body()));
  };
  details.addEventListener('toggle', make);
  make();
  return details;
}

// longest is how much of a text is shown at once. More is shown on demand, so that a text of
// a megabyte does not stop the page.
const longest = 12000;

// clipped shows a text, and of a very long one its beginning with a button for the rest.
// show makes nodes of a text.
export function clipped(text, show = (part) => [part], most = longest) {
  if (text.length <= most) return show(text);
  const rest = button(`Show all ${text.length.toLocaleString('en')} characters`, () => rest.replaceWith(...show(text.slice(most))),
    {class: 'quiet'});
  return [...show(text.slice(0, most)), rest];
}

// line is a text that should be short, and is cut where it is not.
export function line(text) { return clipped(text, undefined, 500); }

// onceSeen calls a function when a node is first about to be scrolled to, and before
// printing. Some browsers, and who looks at the print on a screen, tell of it by the medium alone.
export function onceSeen(node, call) {
  let open = true;
  const now = () => {
    if (!open) return;
    open = false;
    watch.disconnect();
    call();
  };
  const watch = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) now(); }, {rootMargin: '400px'});
  watch.observe(node);
  window.addEventListener('beforeprint', now);
  window.matchMedia('print').addEventListener('change', (e) => { if (e.matches) now(); });
  if (window.matchMedia('print').matches) requestAnimationFrame(now);
}
