package testmodel

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
)

// characters are what the precompiled character map of a T5 here says: spaces of all kinds,
// ligatures, letters in circles, wide letters, and a letter with its accent apart.
var characters = map[string]string{
	"\t": " ", "\n": " ", "\u00a0": " ", "\u3000": " ", "\u200b": " ", "\u00ad": "", "\ufeff": "",
	"ﬁ": "fi", "①": "1", "½": "1/2", "²": "2", "Ａ": "A", "e\u0301": "é", "…": "...", "Ⅳ": "IV", "ǅ": "Dž",
}

// charMap writes a map of characters as SentencePiece compiles it: the size of a double-array
// trie, the trie, and the texts it points to, in base64.
func charMap(mapped map[string]string) string {
	t := &doubleArray{units: make([]uint32, 1<<12), used: make([]bool, 1<<12)}
	t.used[0] = true
	var texts []byte
	var keys []string
	places := map[string]uint32{}
	for _, key := range slices.Sorted(maps.Keys(mapped)) {
		keys, places[key] = append(keys, key), uint32(len(texts))
		texts = append(append(texts, mapped[key]...), 0)
	}
	t.build(0, keys, 0, places)

	data := binary.LittleEndian.AppendUint32(nil, uint32(4*len(t.units)))
	for _, u := range t.units {
		data = binary.LittleEndian.AppendUint32(data, u)
	}
	return base64.StdEncoding.EncodeToString(append(data, texts...))
}

// doubleArray is a trie in which the child of a node by a byte is at the node's base, exclusive
// or that byte.
type doubleArray struct {
	units []uint32
	used  []bool
}

// build places the children of a node, whose keys share so many bytes.
func (t *doubleArray) build(node int, keys []string, depth int, values map[string]uint32) {
	groups := map[byte][]string{}
	for _, k := range keys {
		label := byte(0) // the key ends here
		if depth < len(k) {
			label = k[depth]
		}
		groups[label] = append(groups[label], k)
	}

	labels := slices.Sorted(maps.Keys(groups))
	base := 1
	for slices.ContainsFunc(labels, func(l byte) bool { return t.used[base^int(l)] }) {
		base++
	}
	t.units[node] |= uint32(node^base) << 10
	for _, l := range labels {
		t.used[base^int(l)] = true
	}

	for _, l := range labels {
		child := base ^ int(l)
		if l == 0 {
			t.units[node] |= 1 << 8
			t.units[child] = 1<<31 | values[groups[l][0]]
			continue
		}
		t.units[child] |= uint32(l)
		t.build(child, groups[l], depth+1, values)
	}
}
