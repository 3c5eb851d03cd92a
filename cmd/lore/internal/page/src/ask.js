// Asking the server that the page came from, and nobody else: the one place that does.

// place is where the page is: the runs that its address names, by their ids, or none.
export const place = decodeURIComponent(location.pathname.match(/^\/run\/([^/]+)$/)?.[1] || '');

// labelling and planning are the labelling folder, or the run to label, that the address names.
export const labelling = location.pathname.match(/^\/label\/([0-9a-f]+)$/)?.[1] || '';
export const planning = location.pathname.match(/^\/labels\/([0-9a-f]+)$/)?.[1] || '';

// ask promises what the server says of a part of the runs that are looked at.
export function askRun(part) { return ask(`/run/${encodeURIComponent(place)}/${part}`); }

// ask promises JSON from the server. What went wrong is an error that says so.
export async function ask(path) {
  const reply = await send(path, {});
  return JSON.parse(reply.text);
}

// tell sends JSON to the server, and promises what it says to it.
export async function tell(path, value) {
  const reply = await send(path, {'Content-Type': 'application/json'}, JSON.stringify(value));
  return JSON.parse(reply.text);
}

// poller makes a function that promises what is new at a path, or null where nothing is.
export function poller(path) {
  let tag = '';
  return async () => {
    const reply = await send(path, tag ? {'If-None-Match': tag} : {});
    tag = reply.tag;
    return reply.text === null ? null : JSON.parse(reply.text);
  };
}

async function send(path, headers, body) {
  let reply;
  try {
    reply = await fetch(path, {method: body === undefined ? 'GET' : 'POST', body, headers, cache: 'no-store', credentials: 'same-origin', redirect: 'error'});
  } catch {
    throw new Error('lore view does not answer any more. Start it again, and open the address that it prints.');
  }
  if (reply.status === 304) return {text: null, tag: reply.headers.get('ETag')};
  const text = await reply.text();
  if (!reply.ok) throw new Error(text.trim() || `The server says ${reply.status}.`);
  return {text, tag: reply.headers.get('ETag') || ''};
}
