package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// JSONWords says what package json found wrong with a value, without the names of types of ours: "is not valid
// JSON: unexpected end of JSON input", or "its grades hold a string where a whole number belongs". Other
// errors are in their own words.
func JSONWords(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("is %s where %s belongs", article(kind.Value), wanted(kind.Type))
	case errors.As(err, &kind):
		field := strings.TrimPrefix(kind.Field, "plain.") // what types call themselves that read themselves
		return fmt.Sprintf("has %s at %q where %s belongs", article(kind.Value), field, wanted(kind.Type))
	case errors.As(err, &syntax):
		return "is not valid JSON: " + syntax.Error()
	}
	return err.Error()
}

// article puts one before a word of package json, such as "string" or "number 1.5".
func article(value string) string {
	switch {
	case value == "bool":
		return "true or false"
	case value == "array":
		return "a list"
	case value == "string":
		return "a text"
	case value == "object":
		return "an object"
	case strings.HasPrefix(value, "number "):
		return "the " + value
	}
	return "a " + value
}

// wanted names what of JSON goes into a type.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k == reflect.String:
		return "a text"
	case k == reflect.Bool:
		return "true or false"
	case k >= reflect.Int && k <= reflect.Uint64:
		return "a whole number"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case k == reflect.Slice || k == reflect.Array:
		return "a list"
	}
	return "an object"
}
