package guard

import (
	"reflect"
	"sync"
)

// Seen counts texts in which something was made neutral, each once however often it is shown.
// It is safe for concurrent use; nil counts nothing.
type Seen struct {
	mu    sync.Mutex
	texts map[string]bool
}

// Count is the number of texts so far.
func (s *Seen) Count() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts)
}

// Text is Text, counted.
func (s *Seen) Text(text string) string { return s.note(text, Text) }

// Document is Document, counted.
func (s *Seen) Document(text string) string { return s.note(text, Document) }

// Lettered is Lettered, counted.
func (s *Seen) Lettered(text string) string { return s.note(text, Lettered) }

func (s *Seen) note(text string, clean func(string) (string, int)) string {
	out, n := clean(text)
	if n == 0 || s == nil {
		return out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string]bool{}
	}
	s.texts[text] = true
	return out
}

// Values makes every text in what a prompt is filled with neutral: in structs, lists, maps and
// what they hold. The original stays as it is.
func (s *Seen) Values(data any) any {
	if data == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(data)).Elem()
	v.Set(reflect.ValueOf(data))
	s.scrub(v)
	return v.Interface()
}

// scrub changes the texts in a value that is a copy. What it points to, or shares with the
// original, is copied first.
func (s *Seen) scrub(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if old := v.String(); v.CanSet() {
			if text := s.Text(old); text != old {
				v.SetString(text)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous && v.Field(i).Kind() == reflect.Struct {
				s.scrub(v.Field(i))
			}
		}
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() || !v.CanSet() {
			return
		}
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		s.scrub(inner)
		if v.Kind() == reflect.Pointer {
			inner = inner.Addr()
		}
		v.Set(inner)
	case reflect.Slice, reflect.Array, reflect.Map:
		s.scrubMany(v)
	}
}

// scrubMany changes the texts in a list or a map.
func (s *Seen) scrubMany(v reflect.Value) {
	switch {
	case !v.CanSet() || !holdsText(v.Type().Elem()):
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			s.scrub(v.Index(i))
		}
	case v.IsNil():
	case v.Kind() == reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			s.scrub(list.Index(i))
		}
		v.Set(list)
	default:
		m := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			s.scrub(value)
			m.SetMapIndex(it.Key(), value)
		}
		v.Set(m)
	}
}

// holdsText reports whether values of a type may hold texts.
func holdsText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Struct, reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}
