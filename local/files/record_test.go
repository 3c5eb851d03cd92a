package files

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Whatever a record holds, it is read or refused, and what is read has an id that was there.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"id": 1, "contents": "x"}`, `{"_id": "a", "title": "T", "text": null}`, `{"qid": 1e3}`, `null`, `[]`,
		`{"ID":"", "docid":{}, "text":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Record
		if json.Unmarshal(data, &r) != nil {
			return
		}
		doc, err := r.Document()
		if err == nil && !bytes.Contains(data, []byte(doc.ID)) && !bytes.ContainsAny(data, `\`) {
			t.Errorf("%s has the id %q", data, doc.ID)
		}
		if _, err := r.QueryText(); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		var ids IDs
		if json.Unmarshal(data, &ids) == nil && string(data) != "null" && len(ids) > len(data) {
			t.Error("more ids than bytes")
		}
	})
}

// A record of a million fields would take gigabytes; a long list inside one does not count.
func TestFieldsAreBounded(t *testing.T) {
	many := strings.Repeat(`"k":1,`, mostFields)
	for line, want := range map[string]string{
		`{"id":"a",` + many + `"text":"x"}`:                "the record has more than 10000 fields",
		`{"id":"a","text":"x","more":{` + many + `"z":0}}`: "",
	} {
		var r Record
		err := json.Unmarshal([]byte(line), &r)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", line, err, want)
		}
	}
}
