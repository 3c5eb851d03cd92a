package text

import "testing"

// A language is found by its own name, too.
func TestNamed(t *testing.T) {
	for name, code := range map[string]string{
		"de": "de", "German": "de", "Deutsch": "de", "deutsch": "de", "français": "fr",
		"Español": "es", "italiano": "it", "PORTUGUÊS": "pt", "nederlands": "nl", "中文": "zh", "日本語": "ja",
		"한국어": "ko", "Русский": "ru",
	} {
		if l, ok := Named(name); !ok || l.Code != code {
			t.Errorf("%s: %v, want %s", name, l, code)
		}
	}
	for code := range ownNames {
		if _, ok := Lookup(code); !ok {
			t.Errorf("no language has the code %s", code)
		}
	}
}
