// Where the page's data comes from. A page in a file holds its blocks: JSON, deflated, in
// base64, in elements that no browser runs. A server of the same page puts a function of
// its own here with useSource, and nothing else changes.

const kept = 48; // unpacked blocks that are remembered

let fetchBlock = fromFile;
const memory = new Map();

// useSource replaces how a block is fetched: a function of its name that promises its data.
export function useSource(fetcher) {
  fetchBlock = fetcher;
  memory.clear();
}

// block promises a block's data, from memory where it was used lately.
export function block(name) {
  let data = memory.get(name);
  memory.delete(name);
  if (!data) data = fetchBlock(name);
  memory.set(name, data);
  if (memory.size > kept) memory.delete(memory.keys().next().value);
  data.catch(() => memory.delete(name));
  return data;
}

async function fromFile(name) {
  const id = 'block-' + name;
  let node = document.getElementById(id);
  if (!node && document.readyState === 'loading') {
    await new Promise((done) => waitFor(id, done)); // the file is still being read
    node = document.getElementById(id);
  }
  if (!node) throw new Error(`The page is not whole: its part ${name} is missing.`);
  return unpack(node.textContent);
}

// waitFor calls when an element is there and read to its end, or the whole page is.
function waitFor(id, done) {
  const there = () => {
    const node = document.getElementById(id);
    return node && node.nextSibling;
  };
  const watch = new MutationObserver(() => { if (there()) finish(); });
  const finish = () => {
    watch.disconnect();
    document.removeEventListener('DOMContentLoaded', finish);
    done();
  };
  document.addEventListener('DOMContentLoaded', finish);
  watch.observe(document.body, {childList: true});
}

// unpack reads what the page's writer packed.
export async function unpack(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text());
}

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

// documentText promises a document by its number.
export async function documentOf(head, number) {
  if (number >= head.shown) return {id: head.documents[number], text: ''};
  const at = head.per_block.findLastIndex((first) => first <= number);
  const list = await block('d' + at);
  return list[number - head.per_block[at]];
}
