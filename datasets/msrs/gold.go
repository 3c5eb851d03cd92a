package msrs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/text"
)

// goldField names the gold documents in a published row.
const goldField = "gold_documents"

// nearGold is the field of a row without gold documents that may hold them by another name; empty where none may.
func nearGold(row []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(row, &fields) != nil {
		return ""
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		other := f != goldField
		if other && (text.Nearest(f, []string{goldField}) != "" || strings.Contains(strings.ToLower(f), "gold") || f == "documents") {
			return f
		}
	}
	return ""
}

// sayLost says which gold documents are not in the corpus, given the rows that lack each; empty for none.
func (s *set) sayLost(lost map[string][]string) string {
	if len(lost) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(lost))
	first := names[0]

	said := fmt.Sprintf("the gold document %s of %d queries (rows %s) is not in the corpus and is left out of their gold",
		first, len(lost[first]), datasets.Some(lost[first]))
	if len(names) > 1 {
		rows := map[string]bool{}
		for _, name := range names {
			for _, row := range lost[name] {
				rows[row] = true
			}
		}
		said = fmt.Sprintf("%d gold documents of %d queries are not in the corpus and are left out of their gold, first %s (rows %s)",
			len(names), len(rows), first, datasets.Some(lost[first]))
	}

	if id, ending, cut := strings.Cut(first, "."); cut && s.corpus.Has(id) {
		said += fmt.Sprintf("; %s without .%s is there: a document's id is its file's name before the first dot", id, ending)
	}
	return said
}

// sayBare says how many of n queries have no gold document, and what that means; empty for none.
func sayBare(bare []Query, n int) string {
	if len(bare) == 0 {
		return ""
	}
	ids := make([]string, len(bare))
	near := ""
	for i, q := range bare {
		ids[i] = q.ID
		if near == "" && q.Near != "" {
			near = fmt.Sprintf("; row %s has the field %s: is it %s?", q.ID, q.Near, goldField)
		}
	}
	return fmt.Sprintf("%d of %d queries have no gold document in the corpus (rows %s): no mean of retrieval counts them, "+
		"and they are not in qrels%s", len(bare), n, datasets.Some(ids), near)
}
