package collection

import (
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"lore/local/files"
)

// Topics of TREC: <top> with fields that nothing closes, or <topic number="1"> of XML.
var (
	topicForm  = regexp.MustCompile(`(?is)<(top|topic)((?:\s[^>]*)?)>(.*?)</(?:top|topic)>`)
	fieldForm  = regexp.MustCompile(`(?i)<(num|title|desc|narr|query|question|description|narrative)(?:\s[^>]*)?>`)
	numberForm = regexp.MustCompile(`(?i)(?:number|id)\s*=\s*["']([^"']+)["']`)
	openForm   = regexp.MustCompile(`(?i)<top(?:ic)?[\s>]`)
	closing    = regexp.MustCompile(`</[^>]*>`)
	documents  = regexp.MustCompile(`(?i)<doc>`)
	label      = regexp.MustCompile(`(?i)^\s*(number|topic|description|narrative)\s*:`)
)

// topicRows reads topics of TREC. The query is the title, or else what stands under query or question; description and
// narrative are what an assessor goes by.
func topicRows(r io.Reader, do func(place string, rec files.Record) error) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	text := string(data)
	if documents.MatchString(text[:min(len(text), 4096)]) {
		return errors.New("holds documents of TREC in SGML, which are not read: convert them to lines of JSON with id and text")
	}

	all := topicForm.FindAllStringSubmatchIndex(text, -1)
	if opened := len(openForm.FindAllStringIndex(text, -1)); opened != len(all) {
		return fmt.Errorf("opens %d topics and closes %d", opened, len(all))
	}
	for _, m := range all {
		place := fmt.Sprintf("line %d", 1+strings.Count(text[:m[0]], "\n"))
		fields := topicFields(text[m[6]:m[7]])
		if n := numberForm.FindStringSubmatch(text[m[4]:m[5]]); n != nil && fields["num"] == nil {
			fields["num"] = n[1]
		}
		row := map[string]any{"id": fields["num"]}
		for _, name := range []string{"title", "query", "question"} {
			if v := fields[name]; v != nil {
				row["query"] = v
				break
			}
		}
		for _, name := range []string{"desc", "description", "narr", "narrative"} {
			if v := fields[name]; v != nil {
				row[name] = v // no query, but said of what does not keep it
			}
		}
		rec, err := files.RecordOf(row)
		if err == nil {
			err = do(place, rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// topicFields are the texts of a topic's fields by their names, without what labels them.
func topicFields(body string) map[string]any {
	out := map[string]any{}
	at := fieldForm.FindAllStringSubmatchIndex(body, -1)
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		value := closing.ReplaceAllString(body[m[1]:end], "")
		value = label.ReplaceAllString(value, "")
		out[strings.ToLower(body[m[2]:m[3]])] = strings.Join(strings.Fields(html.UnescapeString(value)), " ")
	}
	return out
}
