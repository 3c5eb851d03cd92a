package files

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestJSONWords(t *testing.T) {
	type inner struct {
		ID     string             `json:"id"`
		Grades []int              `json:"grades"`
		On     bool               `json:"on"`
		Part   map[string]float64 `json:"part"`
	}
	for text, want := range map[string]string{
		`[1]`:               "is a list where an object belongs",
		`{"id":5}`:          `has a number at "id" where a text belongs`,
		`{"grades":"5"}`:    `has a text at "grades" where a list belongs`,
		`{"grades":[1.5]}`:  `has the number 1.5 at "grades" where a whole number belongs`,
		`{"grades":[true]}`: `has true or false at "grades" where a whole number belongs`,
		`{"on":{}}`:         `has an object at "on" where true or false belongs`,
		`{"part":{"a":""}}`: `has a text at "part" where a number belongs`,
		`{"id":`:            "is not valid JSON: unexpected end of JSON input",
	} {
		var v inner
		if err := json.Unmarshal([]byte(text), &v); err == nil || JSONWords(err) != want {
			t.Errorf("%s: %q, want %q", text, JSONWords(err), want)
		}
	}
	if got := JSONWords(errors.New("as it is")); got != "as it is" {
		t.Error(got)
	}
}
