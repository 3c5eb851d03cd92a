package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/usage"
	"lore/local/text"
)

// languageFlag is the language of all texts that a command reads. It is the one flag of every
// verb that judges: the built-in judge and generator, sentences and ROUGE go by it.
type languageFlag struct{ name string }

func (f *languageFlag) add(c *cobra.Command) {
	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.name, "language", languageCodes(), text.Auto,
			"language of all texts, such as en, de or zh; auto tells that of each text")
	})
}

// code is that of the language; empty where each text's own is told.
func (f languageFlag) code() (string, error) {
	if f.name == text.Auto || f.name == "" {
		return "", nil
	}
	if l, ok := text.Named(f.name); ok {
		return l.Code, nil
	}

	known := []string{text.Auto}
	for _, l := range text.Languages {
		known = append(known, l.Code, strings.ToLower(l.Name))
	}
	if near := usage.Nearest(f.name, known); near != "" {
		return "", usage.Errorf("unknown language %q; did you mean %s?", f.name, near)
	}
	return "", usage.Errorf("unknown language %q. There are: %s", f.name, strings.Join(languageCodes(), ", "))
}

// languageCodes lists what --language takes.
func languageCodes() []string {
	out := []string{text.Auto}
	for _, l := range text.Languages {
		out = append(out, l.Code)
	}
	return out
}
