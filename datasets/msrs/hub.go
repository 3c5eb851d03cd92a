package msrs

import (
	"fmt"
	"strings"

	"lore/datasets"
	"lore/datasets/rows"
	"lore/local/files"
)

// Field names under which the Hugging Face layout has what lore needs, in the order
// they are looked for.
var (
	hubID   = []string{"id", "story_id", "meeting_id", "document_id", "doc_id", "docid", "_id", "name"}
	hubText = []string{"text", "story", "meeting", "document", "content", "contents", "body", "passage",
		"segment", "transcript"}
	hubQueryID    = append([]string{"id", "_id", "qid", "query_id"}, hubID...)
	hubQuery      = []string{"query", "question"}
	hubGold       = []string{"gold_documents", "gold", "documents"}
	hubReferences = []string{"answer", "answers", "references", "summary"}
)

// ReadHub reads the Hugging Face layout: a file of documents, and a file of queries
// per split. Files are Parquet, JSON lines or a JSON list.
func ReadHub(domain, corpus string, queries map[string]string) (Raw, error) {
	raw := Raw{Domain: domain, Queries: map[string][]Query{}, Files: []string{corpus}}
	var err error
	if raw.Documents, err = hubDocuments(corpus); err != nil {
		return raw, err
	}

	for _, split := range splits {
		path, ok := queries[split]
		if !ok {
			continue
		}
		if raw.Queries[split], err = hubQueries(path); err != nil {
			return raw, err
		}
		raw.Files = append(raw.Files, path)
	}
	return raw, nil
}

func hubDocuments(path string) ([]datasets.Document, error) {
	var docs []datasets.Document
	seen := map[string]int{} // rows by id
	err := rows.Each(path, func(i int, row map[string]any) error {
		bad := func(msg string) error {
			return &datasets.InputError{
				File:   path,
				Place:  fmt.Sprintf("row %d", i+1),
				Msg:    msg,
				Remedy: fmt.Sprintf("a document needs one of %v and one of %v", hubID, hubText),
			}
		}

		id, text := firstString(row, hubID), firstString(row, hubText)
		id, _, _ = strings.Cut(id, ".")
		if id == "" || text == "" {
			return bad("has no id or no text")
		}
		if err := files.CheckID(id); err != nil {
			return bad(err.Error())
		}
		if other, twice := seen[id]; twice {
			return bad(fmt.Sprintf("repeats the id %q of row %d", id, other))
		}
		seen[id] = i + 1
		docs = append(docs, datasets.Document{ID: id, Text: text})
		return nil
	})
	return docs, err
}

func hubQueries(path string) ([]Query, error) {
	var out []Query
	seen := map[string]bool{}
	err := rows.Each(path, func(i int, row map[string]any) error {
		bad := func(msg string) error {
			return &datasets.InputError{
				File:  path,
				Place: fmt.Sprintf("row %d", i+1),
				Msg:   msg,
				Remedy: fmt.Sprintf("a query needs one of %v, one of %v and one of %v",
					hubQuery, hubGold, hubReferences),
			}
		}

		q := Query{
			ID:         firstString(row, hubQueryID),
			Text:       firstString(row, hubQuery),
			Gold:       firstStrings(row, hubGold),
			References: firstStrings(row, hubReferences),
		}
		if q.ID == "" {
			q.ID = fmt.Sprint(i)
		}
		switch {
		case q.Text == "":
			return bad("has no query")
		case len(q.Gold) == 0:
			return bad("has no gold documents")
		case len(q.References) == 0:
			return bad("has no answer")
		case seen[q.ID]:
			return bad(fmt.Sprintf("repeats the id %q", q.ID))
		case files.CheckID(q.ID) != nil:
			return bad(files.CheckID(q.ID).Error())
		}
		seen[q.ID] = true

		// Documents are named by their files; an id has no ending.
		for k, g := range q.Gold {
			q.Gold[k], _, _ = strings.Cut(g, ".")
		}
		out = append(out, q)
		return nil
	})
	return out, err
}

func firstString(row map[string]any, names []string) string {
	for _, n := range names {
		switch v := row[n].(type) {
		case string:
			return strings.TrimSpace(v)
		case []byte:
			return strings.TrimSpace(string(v))
		case float64:
			return fmt.Sprint(v)
		case int64, int32:
			return fmt.Sprint(v)
		}
	}
	return ""
}

func firstStrings(row map[string]any, names []string) []string {
	for _, n := range names {
		if out := stringsOf(row[n]); len(out) > 0 {
			return out
		}
	}
	return nil
}

// stringsOf flattens a text, a list of texts, or Parquet's list of list elements.
func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) != "" {
			return []string{v}
		}
	case []byte:
		return stringsOf(string(v))
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, stringsOf(x)...)
		}
		return out
	case map[string]any:
		for _, k := range []string{"list", "element", "item", "array"} {
			if inner, ok := v[k]; ok {
				return stringsOf(inner)
			}
		}
	}
	return nil
}
