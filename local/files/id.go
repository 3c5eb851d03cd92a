package files

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ID is the id of a file by its path below the folder that was given: without its ending,
// with slashes between folders, and with white space and unprintable characters as
// underscores, so that it can stand in a run file.
func ID(file string) string {
	return OneWord(strings.TrimSuffix(file, path.Ext(file)))
}

// OneWord makes a name an id: white space and unprintable characters become underscores.
func OneWord(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return hidden(r) != "" }), "_")
}

// CheckID is the one rule for ids of documents, queries, topics and items: they are not
// empty, and hold neither white space of any kind, which separates the fields of run files,
// nor characters that nobody sees.
func CheckID(id string) error {
	if id == "" {
		return errors.New(`there is no "id"`)
	}
	return checkVisible("id", id, "")
}

// CheckName is the rule for names that stand in tables alone, such as those of insights and
// key points: like that of ids, but plain spaces are allowed.
func CheckName(what, name string) error {
	if strings.TrimSpace(name) == "" {
		return fmt.Errorf("the %s is empty", what)
	}
	return checkVisible(what, name, " ")
}

func checkVisible(what, s, allowed string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("the %s %q is not UTF-8", what, s)
	}
	for _, r := range s {
		if why := hidden(r); why != "" && !strings.ContainsRune(allowed, r) {
			return fmt.Errorf("the %s %q holds %s", what, s, why)
		}
	}
	return nil
}

// hidden says why a character cannot stand in an id; empty where it can. Joiners are part
// of words in several scripts.
func hidden(r rune) string {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	switch {
	case r == zeroWidthNonJoiner, r == zeroWidthJoiner:
		return ""
	case unicode.IsSpace(r), unicode.Is(unicode.Z, r):
		return fmt.Sprintf("white space (%U), which separates the fields of run files", r)
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return fmt.Sprintf("a character that cannot be seen (%U)", r)
	}
	return ""
}
