package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Support says how far the words of a language are told.
type Support string

// Stems: words are reduced to stems, and function words are known. Sequences: sequences of
// letters stand for words, in scripts without spaces. FunctionWords: these are known, but forms
// of a word are words of their own. AsWritten: a word counts only as it is written.
const (
	Stems         Support = "stems"
	Sequences     Support = "sequences of letters"
	FunctionWords Support = "function words, no stems"
	AsWritten     Support = "not supported"
)

// Language says how words and sentences of a language are told. There is one of each: they
// can be compared.
type Language struct {
	Code    string // of ISO 639, two letters where it has two; "und" where it is not told
	Name    string // in English
	Support Support

	script     script
	apostrophe apostrophe // what it is between letters
	point      bool       // the decimal mark is a point, as in English, not a comma
	ordinals   bool       // "3." is third

	snowball func(*snowballstem.Env) bool
	stem     func(string) string // where Snowball has none
	stop     func() map[string]bool
	grammar  func(rune) bool // letters of grammar, where sequences stand for words
}

// English is the language of all texts that are not told to be in another.
var English = &Language{Code: "en", Name: "English", Support: Stems, script: latin, point: true}

// Unknown stands for a language that is not told, or that nothing is known of.
var Unknown = &Language{Code: "und", Name: "not told", Support: AsWritten, point: true}

// Languages are those that can be told.
var Languages = []*Language{
	English,
	{Code: "ar", Name: "Arabic", script: arabicScript, point: true, snowball: arabic.Stem},
	{Code: "da", Name: "Danish", ordinals: true, snowball: danish.Stem},
	{Code: "de", Name: "German", ordinals: true, snowball: german.Stem},
	{Code: "es", Name: "Spanish", snowball: spanish.Stem},
	{Code: "fi", Name: "Finnish", ordinals: true, snowball: finnish.Stem},
	{Code: "fr", Name: "French", snowball: french.Stem, apostrophe: elided},
	{Code: "hu", Name: "Hungarian", ordinals: true, snowball: hungarian.Stem},
	{Code: "it", Name: "Italian", snowball: italian.Stem, apostrophe: elided},
	{Code: "nl", Name: "Dutch", snowball: dutch.Stem},
	{Code: "no", Name: "Norwegian", ordinals: true, snowball: norwegian.Stem},
	{Code: "pt", Name: "Portuguese", snowball: portuguese.Stem},
	{Code: "ro", Name: "Romanian", snowball: romanian.Stem},
	{Code: "ru", Name: "Russian", script: cyrillic, snowball: russian.Stem},
	{Code: "sv", Name: "Swedish", snowball: swedish.Stem},
	{Code: "tr", Name: "Turkish", ordinals: true, apostrophe: suffixed, snowball: turkish.Stem},

	{Code: "hi", Name: "Hindi", script: devanagari, point: true, stem: hindiStem},

	{Code: "bg", Name: "Bulgarian", script: cyrillic},
	{Code: "ca", Name: "Catalan", apostrophe: elided},
	{Code: "ckb", Name: "Sorani", script: arabicScript, point: true},
	{Code: "cs", Name: "Czech", ordinals: true},
	{Code: "el", Name: "Greek", script: greek},
	{Code: "fa", Name: "Persian", script: arabicScript, point: true},
	{Code: "hr", Name: "Croatian", ordinals: true},
	{Code: "id", Name: "Indonesian"},
	{Code: "pl", Name: "Polish", ordinals: true},

	{Code: "ja", Name: "Japanese", Support: Sequences, script: kana, point: true, grammar: hiragana},
	{Code: "km", Name: "Khmer", Support: Sequences, script: khmer, point: true},
	{Code: "ko", Name: "Korean", Support: Sequences, script: hangul, point: true},
	{Code: "lo", Name: "Lao", Support: Sequences, script: lao, point: true},
	{Code: "my", Name: "Burmese", Support: Sequences, script: myanmar, point: true},
	{Code: "th", Name: "Thai", Support: Sequences, script: thai, point: true},
	{Code: "zh", Name: "Chinese", Support: Sequences, script: han, point: true, grammar: particles},

	{Code: "am", Name: "Amharic", Support: AsWritten, script: ethiopic, point: true},
	{Code: "bn", Name: "Bengali", Support: AsWritten, script: bengali, point: true},
	{Code: "gu", Name: "Gujarati", Support: AsWritten, script: gujarati, point: true},
	{Code: "he", Name: "Hebrew", Support: AsWritten, script: hebrew, point: true},
	{Code: "hy", Name: "Armenian", Support: AsWritten, script: armenian},
	{Code: "ka", Name: "Georgian", Support: AsWritten, script: georgian},
	{Code: "kn", Name: "Kannada", Support: AsWritten, script: kannada, point: true},
	{Code: "ml", Name: "Malayalam", Support: AsWritten, script: malayalam, point: true},
	{Code: "pa", Name: "Punjabi", Support: AsWritten, script: gurmukhi, point: true},
	{Code: "ta", Name: "Tamil", Support: AsWritten, script: tamil, point: true},
	{Code: "te", Name: "Telugu", Support: AsWritten, script: telugu, point: true},
	{Code: "sw", Name: "Swahili", Support: AsWritten, point: true},
	{Code: "uk", Name: "Ukrainian", Support: AsWritten, script: cyrillic},
	{Code: "ur", Name: "Urdu", Support: AsWritten, script: arabicScript, point: true},
	{Code: "vi", Name: "Vietnamese", Support: AsWritten},
	{Code: "yo", Name: "Yoruba", Support: AsWritten, point: true},
}

//go:embed functionwords.txt
var functionWordsFile string

// functionWords are the words of functionwords.txt by code.
var functionWords = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	code := ""
	for line := range strings.Lines(functionWordsFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head, rest, ok := strings.Cut(line, ":"); ok {
			code, line = head, rest
		}
		out[code] = append(out[code], strings.Fields(line)...)
	}
	return out
})

func init() {
	English.stop = func() map[string]bool { return stop }
	Unknown.stop = func() map[string]bool { return stop }
	for _, l := range Languages[1:] {
		if l.Support == "" {
			l.Support = FunctionWords
			if l.snowball != nil || l.stem != nil {
				l.Support = Stems
			}
		}
		l.stop = sync.OnceValue(l.listStop)
	}
}

// listStop reads the function words of a language, as its words are read from texts.
func (l *Language) listStop() map[string]bool {
	list := functionWords()[l.Code]
	if list == nil && moreWords[l.Code] == "" {
		return map[string]bool{}
	}
	out := map[string]bool{}
	for _, w := range append(strings.Fields(moreWords[l.Code]), list...) {
		if words := l.Words(w); len(words) == 1 {
			out[words[0]] = true
			out[l.fold(words[0])] = true
		}
	}
	return out
}

// Auto is the name that stands for telling the language of each text.
const Auto = "auto"

// Lookup finds a language by its code.
func Lookup(code string) (*Language, bool) {
	i := slices.IndexFunc(Languages, func(l *Language) bool { return l.Code == code })
	if i < 0 {
		return nil, false
	}
	return Languages[i], true
}

// ownNames are what languages are called in themselves, by code.
var ownNames = map[string][]string{
	"ar": {"العربية"},
	"bg": {"български"},
	"ca": {"català"},
	"cs": {"čeština", "česky"},
	"da": {"dansk"},
	"de": {"Deutsch"},
	"el": {"ελληνικά"},
	"es": {"español", "espanol", "castellano"},
	"fa": {"فارسی"},
	"fi": {"suomi"},
	"fr": {"français", "francais"},
	"he": {"עברית"},
	"hi": {"हिन्दी", "हिंदी"},
	"hr": {"hrvatski"},
	"hu": {"magyar"},
	"id": {"bahasa Indonesia"},
	"it": {"italiano"},
	"ja": {"日本語"},
	"ko": {"한국어"},
	"nl": {"Nederlands"},
	"no": {"norsk"},
	"pl": {"polski"},
	"pt": {"português", "portugues"},
	"ro": {"română", "romana"},
	"ru": {"русский"},
	"sv": {"svenska"},
	"th": {"ไทย"},
	"tr": {"Türkçe", "turkce"},
	"uk": {"українська"},
	"vi": {"tiếng Việt"},
	"zh": {"中文", "汉语", "漢語"},
}

// Named finds a language by its code, its English name or its own.
func Named(name string) (*Language, bool) {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	i := slices.IndexFunc(Languages, func(l *Language) bool {
		return same(l.Code) || same(l.Name) || slices.ContainsFunc(ownNames[l.Code], same)
	})
	if i < 0 {
		return nil, false
	}
	return Languages[i], true
}

// String is the language's name.
func (l *Language) String() string { return l.Name }

// IsStop reports whether a word, as Words gives it, is a function word.
// A sequence of letters is one where all its letters are grammar.
func (l *Language) IsStop(w string) bool {
	if l.grammar != nil {
		return !strings.ContainsFunc(w, func(r rune) bool { return !l.grammar(r) })
	}
	return l.stop()[w] || l.stop()[l.fold(w)]
}

// hiragana is what Japanese writes its grammar with.
func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// particles are what Chinese has for grammar, and its question words.
func particles(r rune) bool {
	return strings.ContainsRune("的了是在有和与與及吗嗎呢吧么麼什谁誰哪几幾多少何个個之也都就而被把从從到这這那其它他她们們", r)
}

// Apart tells whether texts in two languages have hardly a word in common: they are written in
// other scripts, or one of them is English. Between others a short text may be mistaken.
func Apart(a, b *Language) bool {
	return a != b && a != Unknown && b != Unknown && (a.script != b.script || a == English || b == English)
}
