package stage

import (
	"encoding/json"
	"fmt"
	"strings"

	"lore/local"
	"lore/local/text"
)

// withoutRepeats cuts the elements of a reply's lists that say what an earlier one says word for word: a
// model in a loop writes the same element again and again until its limit. what says how many were
// cut, for the log; it is empty where none was. A list of numbers, or of words from a menu, may repeat
// them; one that would be too short without them is left to its check, which gives the better reason.
func (q Question[T]) withoutRepeats(r local.Reply) (out local.Reply, what string) {
	if r.Outcome != local.OK || q.Complete || q.Read != nil || len(q.Schema) == 0 {
		return r, ""
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Text), &fields) != nil {
		return r, ""
	}

	cut, all, example := 0, 0, ""
	for name, raw := range fields {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || q.hasMenu(name) {
			continue
		}
		once, repeated := distinct(list)
		if repeated == nil {
			continue
		}
		whole, err := json.Marshal(once)
		if err != nil {
			continue
		}
		fields[name] = whole
		cut, all, example = cut+len(list)-len(once), all+len(list), string(repeated)
	}
	if cut == 0 {
		return r, ""
	}

	whole, err := json.Marshal(fields)
	if err != nil || !fits(whole, q.Schema) {
		return r, ""
	}
	r.Text = string(whole)
	return r, fmt.Sprintf("left out: %d of the %d elements of a list repeat an earlier one: %q", cut, all, example)
}

// hasMenu reports whether the elements of a field are from a menu.
func (q Question[T]) hasMenu(field string) bool {
	var rule struct {
		Properties map[string]struct {
			Items struct {
				Enum []json.RawMessage `json:"enum"`
			} `json:"items"`
		} `json:"properties"`
	}
	return json.Unmarshal(q.Schema, &rule) == nil && len(rule.Properties[field].Items.Enum) > 0
}

// distinct are the elements of a list without those that repeat an earlier one, and the first of these;
// nil if there is none.
func distinct(list []json.RawMessage) (once []json.RawMessage, repeated json.RawMessage) {
	seen := map[string]bool{}
	for _, one := range list {
		key := words(one)
		if key != "" && seen[key] {
			if repeated == nil {
				repeated = one
			}
			continue
		}
		seen[key] = true
		once = append(once, one)
	}
	return once, repeated
}

// words is what an element says, whatever its case, white space and punctuation; empty for one
// that is no text and no object.
func words(element json.RawMessage) string {
	var value any
	if json.Unmarshal(element, &value) != nil {
		return ""
	}
	switch value := value.(type) {
	case string:
		return Wording(value)
	case map[string]any:
		whole, err := json.Marshal(value) // fields sorted
		if err != nil {
			return ""
		}
		return Wording(string(whole))
	}
	return ""
}

// Wording is what a text says whatever its case, white space and punctuation: two texts with the same
// wording repeat each other.
func Wording(s string) string {
	if w := text.Words(s); len(w) > 0 {
		return strings.Join(w, " ")
	}
	return strings.ToLower(strings.TrimSpace(s))
}
