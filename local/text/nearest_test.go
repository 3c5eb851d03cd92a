package text

import "testing"

func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"kitten", "sitting"}: 3, {"", "abc"}: 3, {"é", "e"}: 1, {"same", "same"}: 0,
		{"stroy", "story"}: 1, {"ab", "ba"}: 1, {"abc", ""}: 3, {"ca", "abc"}: 3,
	} {
		if d := Distance(words[0], words[1]); d != want {
			t.Errorf("%q: %d, want %d", words, d, want)
		}
	}
}
