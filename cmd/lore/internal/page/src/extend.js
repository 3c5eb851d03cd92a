// Places that another page may add to. The page in a file adds nothing; a server of the same
// page adds, for instance, buttons to label a verdict.
//
// Places, with what they are told: 'verdict' {item, system, judge, asked}, 'answer' {item,
// system}, 'question' {item}, 'first' {}.

const additions = new Map();

// extend adds a function of (node, about) to a place.
export function extend(place, add) {
  additions.set(place, [...(additions.get(place) || []), add]);
}

// extended lets the additions of a place have a node.
export function extended(place, node, about) {
  for (const add of additions.get(place) || []) add(node, about);
  return node;
}
