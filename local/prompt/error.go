package prompt

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/text"
)

// Error is a prompt that is no template, or that asks for what it is not given.
type Error struct {
	Name   string   // of the prompt
	Line   int      // of its file, from 1; 0: none
	Msg    string   // what is wrong
	Fields []string // that the prompt is given, where it asks for another one
	Err    error
}

// Error names prompt and line.
func (e *Error) Error() string {
	s := "the prompt " + e.Name
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d,", e.Line)
	}
	s += " " + e.Msg
	if len(e.Fields) > 0 {
		s += "; " + e.Remedy()
	}
	return s
}

// Unwrap returns the template's own error.
func (e *Error) Unwrap() error { return e.Err }

// Remedy says what can be used instead; empty where that does not help.
func (e *Error) Remedy() string {
	if len(e.Fields) == 0 {
		return ""
	}
	return "it is given " + strings.Join(e.Fields, ", ")
}

// told are the parts of an error of text/template: line, what was executed, and what is wrong.
var told = regexp.MustCompile(`(?s)^template: [^:]*:(\d+)(?::\d+)?: (?:executing "[^"]*" at <([^>]*)>: )?(.*)$`)

// wrong words an error of a template. data is what it was given; nil: it was only read.
func wrong(name string, err error, data any) *Error {
	e := &Error{Name: name, Msg: "is not a valid template: " + err.Error(), Err: err}
	m := told.FindStringSubmatch(err.Error())
	if m == nil {
		return e
	}
	e.Line, _ = strconv.Atoi(m[1]) // the expression takes digits alone

	e.Msg = "is not a valid template: " + m[3]
	if f := noFunction.FindStringSubmatch(m[3]); f != nil {
		e.Msg += fmt.Sprintf("; a field begins with a dot: {{.%s}}", f[1])
	}
	if data != nil {
		what, _, _ := strings.Cut(m[3], " in type ") // what lore's own types are called helps nobody
		if f := noField.FindStringSubmatch(what); f != nil {
			what = "there is no ." + f[1] + text.DidYouMean("."+f[1], names(data))
		}
		e.Msg, e.Fields = fmt.Sprintf("cannot be filled in at {{%s}}: %s", m[2], what), Fields(data)
	}
	return e
}

// What text/template says of a function that there is not, and of a field.
var (
	noFunction = regexp.MustCompile(`^function "([^"]*)" not defined`)
	noField    = regexp.MustCompile(`^(?:map has no entry for key "|can't evaluate field )([^" ]*)"?$`)
)

// names are the fields of data, and those of the lists in it.
func names(data any) []string {
	var out []string
	for name, v := range members(reflect.ValueOf(data)) {
		out = append(out, "."+name)
		for v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.IsValid() && v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			out = append(out, names(reflect.Zero(v.Type().Elem()).Interface())...)
		}
	}
	slices.Sort(out)
	return out
}

// Fields names what a prompt that is given such data can use, sorted: ".Query", or ".Passages
// (each has .Label, .Text)".
func Fields(data any) []string {
	values := members(reflect.ValueOf(data))
	var out []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		for v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		said := "." + name
		if v.IsValid() && v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			said += " (each has " + strings.Join(Fields(reflect.Zero(v.Type().Elem()).Interface()), ", ") + ")"
		}
		out = append(out, said)
	}
	return out
}

// members are the values of a map, or the exported fields of a struct and of those embedded in it, by name.
func members(v reflect.Value) map[string]reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	out := map[string]reflect.Value{}
	switch v.Kind() {
	case reflect.Map:
		for _, key := range v.MapKeys() {
			out[fmt.Sprint(key.Interface())] = v.MapIndex(key)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Anonymous && f.Type.Kind() == reflect.Struct:
				maps.Copy(out, members(v.Field(i)))
			case f.IsExported():
				out[f.Name] = v.Field(i)
			}
		}
	}
	return out
}
