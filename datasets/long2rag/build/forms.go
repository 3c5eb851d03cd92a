package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// formOf reads questions in the form that a file is in, by its ending and by how it begins.
func formOf(name string, data []byte) ([]given, []string, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	ending := strings.ToLower(filepath.Ext(name))
	switch {
	case len(data) == 0:
		return nil, nil, nil
	case data[0] == '[' && (strings.HasPrefix(ending, ".json") || beginsList.Match(data)):
		return jsonList(name, name, data)
	case data[0] == '{' && isObject(data):
		return jsonObject(name, data)
	case strings.HasPrefix(ending, ".json"):
		return jsonLines(name, data)
	}

	if t, ok := tableOf(ending, data); ok {
		return t.questions(name)
	}
	return textLines(name, data)
}

// beginsList is how a JSON list of texts or objects begins, and no line of prose.
var beginsList = regexp.MustCompile(`^\[\s*["{\]]`)

// isObject reports whether a file is one JSON object as a whole, and no lines of them.
func isObject(data []byte) bool {
	return json.Valid(data)
}

// jsonList reads a list of texts, or of objects with question.
func jsonList(name, what string, data []byte) ([]given, []string, error) {
	var out []given
	err := files.EachValue(data, func(place string, v json.RawMessage) error {
		s, err := seedOf(v)
		if err != nil {
			return badSeed(name, place, "is not a question: "+err.Error(), err)
		}
		out = append(out, given{place, s})
		return nil
	})
	if err != nil {
		return nil, nil, notJSON(name, err)
	}
	return out, []string{fmt.Sprintf("%s: %d questions of a JSON list", what, len(out))}, nil
}

// notJSON is the error of a file that begins like JSON and is none.
func notJSON(name string, err error) error {
	if wrapped := files.Wrap(name, err); wrapped == err {
		return err // it says all that is needed
	}
	return &datasets.InputError{
		File:   name,
		Msg:    "begins as a JSON list, and is none: " + err.Error(),
		Remedy: `mend it, or give a question per line; a list is ["...", "..."] or [{"question": "..."}]`,
		Err:    err,
	}
}

// seedOf reads a text or an object.
func seedOf(v []byte) (Seed, error) {
	var s Seed
	if v = bytes.TrimSpace(v); v[0] == '"' {
		return s, json.Unmarshal(v, &s.Text)
	}
	err := json.Unmarshal(v, &s)
	return s, err
}

// jsonObject reads a file that is one object: a question, or what a list of questions is packed in.
func jsonObject(name string, data []byte) ([]given, []string, error) {
	s, err := seedOf(data)
	if err == nil {
		return []given{{"line 1", s}}, nil, nil
	}

	fields, bad := files.Object[json.RawMessage](data)
	if bad != nil {
		return nil, nil, badSeed(name, "", "is not a question: "+bad.Error(), bad)
	}
	lists := slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(key string) bool { return fields[key][0] != '[' })
	if len(lists) == 1 {
		return jsonList(name, fmt.Sprintf("%s, field %q", name, lists[0]), fields[lists[0]])
	}
	return nil, nil, &datasets.InputError{
		File:   name,
		Msg:    fmt.Sprintf("is one JSON object with %d lists, of which one should be that of the questions", len(lists)),
		Remedy: "give the list of the questions alone, or an object per line",
		Err:    err,
	}
}

// jsonLines reads a text or an object per line.
func jsonLines(name string, data []byte) ([]given, []string, error) {
	var out []given
	err := files.EachLine(data, func(place string, line []byte) error {
		s, err := seedOf(line)
		if err != nil {
			return badSeed(name, place, "is not a question: "+err.Error(), err)
		}
		out = append(out, given{place, s})
		return nil
	})
	return out, nil, err
}

var (
	// listMark begins an item of a list: "- ", "* ", "• ", "1. ", "1) ", "(1) ".
	listMark = regexp.MustCompile(`^(?:[-*•–]|\d{1,3}[.)]|\(\d{1,3}\))\s+`)

	// comment is a line about the questions, or a heading of Markdown. "#5 runs late: why?" is none.
	comment = regexp.MustCompile(`^#+(?:\s|$)`)
)

// textLines reads a question per line, with or without the marks of a list. A line may be an object of JSON.
func textLines(name string, data []byte) ([]given, []string, error) {
	var out []given
	marks, comments := 0, 0
	err := files.EachLine(data, func(place string, line []byte) error {
		switch {
		case comment.Match(line):
			comments++
			return nil
		case line[0] == '{':
			s, err := seedOf(line)
			if err != nil {
				return badSeed(name, place, "is not a question: "+err.Error(), err)
			}
			out = append(out, given{place, s})
			return nil
		}

		if mark := listMark.Find(line); mark != nil {
			marks++
			line = line[len(mark):]
		}
		out = append(out, given{place, Seed{Text: string(line)}})
		return nil
	})

	var done []string
	if marks > 0 {
		done = append(done, fmt.Sprintf("marks of a list taken off: %d", marks))
	}
	if comments > 0 {
		done = append(done, fmt.Sprintf("lines that begin with # left out: %d", comments))
	}
	if len(done) == 0 || err != nil {
		return out, nil, err
	}
	return out, []string{fmt.Sprintf("%s: %d questions, a line each; %s", name, len(out), strings.Join(done, ", "))}, nil
}
