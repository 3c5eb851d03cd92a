package models

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"lore/cmd/lore/internal/store"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/local/files"
)

// cardFile is the place of a judge's card in the cache: by the weights and prompts of its parts, and the
// rule and mode that stand in its name, not by what its models are called.
func cardFile(cache, name string, parts []ensemble.Part) string {
	_, rule := agreement.Base(name)
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%s %s\n", p.Digest, p.Prompt)
		if p.Digest == "" { // a recorded judge has no weights
			fmt.Fprintln(h, p.Name)
		}
	}
	fmt.Fprintln(h, rule)
	return filepath.Join(cache, "cards", fmt.Sprintf("%x.json", h.Sum(nil)[:16]))
}

// SaveCard keeps a card in the cache, beside what was measured on other labels before.
func SaveCard(cache string, card agreement.Card, parts []ensemble.Part) (string, error) {
	path := cardFile(cache, card.Judge, parts)
	if old, err := readCard(path); err == nil {
		card = old.Merge(card)
	}
	data, err := json.MarshalIndent(card, "", "  ")
	if err != nil {
		return path, err
	}
	if err := files.MkdirAll(filepath.Dir(path)); err != nil {
		return path, err
	}
	return path, files.WriteFile(path, append(data, '\n'))
}

func readCard(path string) (agreement.Card, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return agreement.Card{}, err
	}
	return agreement.ParseCard(data)
}

// Measured is what the cards in the cache say of the judges of a run. names are those of its
// tables. A card that is not there says nothing; of one that cannot be read warn is told.
func Measured(cache string, m store.Manifest, names []string, warn func(string)) []agreement.Known {
	if cache == "" {
		return nil
	}
	var out []agreement.Known
	for _, name := range names {
		base, _ := agreement.Base(name)
		var parts []ensemble.Part
		for _, part := range SplitJudge(base) {
			i := slices.IndexFunc(m.Judges, func(j store.Model) bool { return j.Name == part })
			if i >= 0 {
				parts = append(parts, partOf(m.Judges[i], m.Prompts))
			}
		}
		path := cardFile(cache, name, parts)
		card, err := readCard(path)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				warn(fmt.Sprintf("the card of %s is left out: %s is damaged (%v); "+
					"audit the judge again with `lore judge audit`, or delete the file", name, path, err))
			}
			continue
		}
		if len(parts) > 1 {
			base = name
		}
		out = append(out, card.Known(base)...)
	}
	return out
}

// partOf is a judge of a manifest with its weights and prompts.
func partOf(m store.Model, prompts map[string]string) ensemble.Part {
	p := ensemble.Part{Name: m.Name, Digest: m.Digest}
	if m.Mode != "" {
		p.Prompt = promptKey(prompts, m.Mode)
	}
	return p
}
