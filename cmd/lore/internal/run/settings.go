package run

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// unsettled are the options that are no settings: parts of the grid, which a folder may
// have more of, and what cannot change a result. Every other field of Options is a
// setting, also one that is added later.
var unsettled = map[string]bool{
	"Retrievers": true, "Generators": true, "Answers": true, "Judges": true,
	"Prompts": true, // each prompt is a setting of its own
	"Version": true, "Console": true,

	"Models.Server": true, "Models.Cache": true, "Models.Dial": true, "Models.Slots": true, "Models.Console": true,
	"Models.Seed":    true, // the run's
	"Models.Windows": true, // found from prompts
	"Models.Systems": true, // may hold secrets; settingsOf adds what is none

	"Models.Encoders": true, // the runtime is that of the pipelines
	// "judging pair" says it all.
	"Judging.Zoned": true, "Judging.Calibration": true, "Judging.CalibrationFile": true, "Judging.Keep": true,
	"Judging.Language": true, // the run's

	// How long is waited for a reply is no part of it.
	"Models.Limits": true, "Models.Patience": true, "Models.Again": true,

	"Pipelines.IndexDir": true, "Pipelines.Prompts": true, "Pipelines.Console": true,
	"Pipelines.Seed":                     true, // the run's
	"Pipelines.Embedding.Engine.Library": true,
}

// settingsOf lists the settings among options by name, as words. Those that are not set
// are left out, so that an option of a later version leaves older folders as they are.
func settingsOf(opt Options) map[string]string {
	out := map[string]string{}
	addSettings(out, "", reflect.ValueOf(opt))
	out["system k"] = fmt.Sprint(opt.Models.Systems.K)
	return out
}

func addSettings(out map[string]string, path string, v reflect.Value) {
	given := false // what is pointed to was said by the user, even where it is empty
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v, given = v.Elem(), true
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			below := strings.TrimPrefix(path+"."+f.Name, ".")
			if f.IsExported() && !unsettled[below] {
				addSettings(out, below, v.Field(i))
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			addSettings(out, path+"."+fmt.Sprint(key.Interface()), v.MapIndex(key))
		}
	case reflect.Func, reflect.Interface, reflect.Chan:
	default:
		if v.IsZero() && !given {
			return
		}
		out[plainName(path)] = plainValue(v)
	}
}

// plainName words a path: "Budget.NumTokens" is "budget num tokens".
func plainName(path string) string {
	var b strings.Builder
	last := ' '
	for _, r := range path {
		switch {
		case r == '.':
			r = ' '
			b.WriteRune(r)
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			b.WriteRune(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return b.String()
}

func plainValue(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		if v.String() == "" {
			return "empty"
		}
	case reflect.Slice, reflect.Array:
		if data, err := json.Marshal(v.Interface()); err == nil {
			return string(data)
		}
	}
	return fmt.Sprint(v.Interface())
}
