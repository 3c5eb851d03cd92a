// Writes embed/testdata/golden-nli.json: token ids by Hugging Face's tokenizers, and logits
// and probabilities by onnxruntime, for the models of entailment, one pair at a time,
// without padding.
//
//   make golden-embed
//
// needs Node.js and the npm packages onnxruntime-node and tokenizers; the tests
// only read the file.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [models, out] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), 'package.json'));
const ort = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');
const version = name => require(name + '/package.json').version;
const round = v => Number(v.toPrecision(9));

const pairs = [
  ['The council has set aside four million for repairs.', 'Four million were set aside.'],
  ['The council has set aside four million for repairs.', 'Nothing was set aside.'],
  ['Residents want the road closed.', 'Sand holds for a season.'],
  ['', 'The wall is weak.'],
  ['Members asked what a temporary bank of sand would do for the fishing boats. Shopkeepers fear that a closed road means closed shops.', 'Boats need sand.'],
  ['Café ÉCOLE x² 中文', 'naïve [SEP] </s> text'],
];

// How each model's logits are read: the place of entailment and of contradiction.
const layouts = {
  'nli-bert': { how: 'softmax', entails: 1, contradicts: 0 },
  'nli-roberta': { how: 'softmax', entails: 0 },
  'nli-xlmr': { how: 'softmax', entails: 1, contradicts: 2 },
  'nli-logit': { how: 'sigmoid' },
  'nli-regression': { how: 'regression' },
  'nli-joined': { how: 'softmax', entails: 1, joined: '</s>' },
  'nli-deberta': { how: 'softmax', entails: 1, contradicts: 0 },
};

function read(logits, layout) {
  if (layout.how === 'sigmoid') return { entails: 1 / (1 + Math.exp(-logits[0])), contradicts: 0 };
  if (layout.how === 'regression') return { entails: Math.min(1, Math.max(0, logits[0])), contradicts: 0 };
  const powers = logits.map(Math.exp), sum = powers.reduce((a, b) => a + b);
  const at = i => i === undefined ? 0 : powers[i] / sum;
  return { entails: at(layout.entails), contradicts: at(layout.contradicts) };
}

// Random texts for the unigram tokenisers alone, with characters that they do not know.
let state = 20261121;
const random = n => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return (state >>> 8) % n; };
const bits = ['sand', 'Sand', 'wall', 'harbour', 'Boats', 'holds', 'season', 'shopkeepers', 'XYZ', 'Q', 'Tuesday', '3.5', ',', '...', '(x)', 'é', 'ß', '中', '文字', 'か', '한국', 'ω', '\u00a0', '\u3000', '▁', '🌊', 'ﬁ', '  ', '\n', '\t', 'engineer', 'temporary', 'residents'];
const fuzz = Array.from({ length: 200 }, () => Array.from({ length: 1 + random(10) }, () => bits[random(bits.length)] + (random(3) ? ' ' : '')).join(''));

const result = { made_with: `onnxruntime-node ${version('onnxruntime-node')}, tokenizers ${version('tokenizers')}`, models: {} };
for (const [kind, layout] of Object.entries(layouts)) {
  const dir = join(models, kind);
  const tk = Tokenizer.fromFile(join(dir, 'tokenizer.json'));
  const session = await ort.InferenceSession.create(join(dir, 'model.onnx'));
  const hash = createHash('sha256').update(readFileSync(join(dir, 'model.onnx'))).digest('hex');
  const m = result.models[kind] = { sha256: hash, pairs: [] };
  if (kind === 'nli-xlmr' || kind === 'nli-deberta') {
    m.fuzz = await Promise.all(fuzz.map(async text => ({ text, ids: Array.from((await tk.encode(text)).getIds()).join(' ') })));
  }
  for (const [premise, hypothesis] of pairs) {
    const enc = layout.joined ? await tk.encode(premise + layout.joined + hypothesis) : await tk.encode(premise, hypothesis);
    const n = enc.getIds().length;
    const tensor = a => new ort.Tensor('int64', BigInt64Array.from(a, BigInt), [1, n]);
    const all = { input_ids: tensor(enc.getIds()), attention_mask: tensor(enc.getAttentionMask()), token_type_ids: tensor(enc.getTypeIds()) };
    const feeds = Object.fromEntries(session.inputNames.map(k => [k, all[k]]));
    const logits = Array.from((await session.run(feeds)).logits.data);
    const { entails, contradicts } = read(logits, layout);
    m.pairs.push({ premise, hypothesis, ids: Array.from(enc.getIds()), types: Array.from(enc.getTypeIds()), logits: logits.map(round), entails: round(entails), contradicts: round(contradicts) });
  }
}
writeFileSync(out, JSON.stringify(result, null, 1) + '\n');
