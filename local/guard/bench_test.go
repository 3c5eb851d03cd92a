package guard

import (
	"strings"
	"testing"
)

func BenchmarkDocument(b *testing.B) {
	text := strings.Repeat("The harbour board met on Tuesday: costs rose by 3% (see [4]), and the wall - old - stood.\n\nIt was a document of 1998.\n", 5000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Document(text)
	}
}
