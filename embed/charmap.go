package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/rivo/uniseg"
)

// charMap is SentencePiece's precompiled character map: what stands for a character, or for
// one with its accents. It is a double-array trie over UTF-8 (as Darts-clone lays it out)
// whose values are places in a table of texts that end in zero bytes.
type charMap struct {
	units []uint32
	texts []byte
}

var errCharMap = errors.New("the character map of tokenizer.json is damaged")

// newCharMap reads the base64 of tokenizer.json: the size of the trie in bytes, the trie, and
// the texts.
func newCharMap(encoded string) (*charMap, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) < 4 {
		return nil, errCharMap
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if size == 0 || size%4 != 0 || uint64(size) > uint64(len(data)) {
		return nil, errCharMap
	}

	m := &charMap{units: make([]uint32, size/4), texts: data[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// graphemeMost is the length in bytes from which a character with its accents is not looked
// up as one, as Hugging Face does.
const graphemeMost = 6

// apply puts what the map says in place of each character.
func (m *charMap) apply(text string) string {
	var out strings.Builder
	state := -1
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		if len(cluster) < graphemeMost {
			if mapped, ok := m.find(cluster); ok {
				out.Write(mapped)
				continue
			}
		}

		for _, r := range cluster {
			char := string(r)
			if mapped, ok := m.find(char); ok {
				out.Write(mapped)
				continue
			}
			out.WriteString(char)
		}
	}
	return out.String()
}

// find returns what stands for the shortest beginning of a text that is in the map.
func (m *charMap) find(text string) ([]byte, bool) {
	at := offsetOf(m.units[0])
	for i := range len(text) {
		if text[i] == 0 {
			return nil, false
		}
		at ^= uint32(text[i])
		if uint64(at) >= uint64(len(m.units)) {
			return nil, false
		}

		unit := m.units[at]
		if unit&(1<<31|0xff) != uint32(text[i]) {
			return nil, false
		}
		at ^= offsetOf(unit)
		if unit>>8&1 == 1 && uint64(at) < uint64(len(m.units)) {
			return m.text(m.units[at] &^ (1 << 31))
		}
	}
	return nil, false
}

// offsetOf is how far a unit of the trie is from its children.
func offsetOf(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// text is the one that begins at a place.
func (m *charMap) text(place uint32) ([]byte, bool) {
	if uint64(place) > uint64(len(m.texts)) {
		return nil, false
	}
	text, _, _ := bytes.Cut(m.texts[place:], []byte{0})
	return text, true
}
