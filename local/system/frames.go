package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
)

// Forms in which a reply may come, the values of Service.Stream.
const (
	Auto   = "auto"   // by its content type, and by how it looks
	Plain  = "false"  // one value
	SSE    = "sse"    // server-sent events
	NDJSON = "ndjson" // a JSON value a line
)

// Forms lists them.
var Forms = []string{Auto, Plain, SSE, NDJSON}

// doneMark ends the streams of OpenAI-style servers.
const doneMark = "[DONE]"

// frame is a part of a reply: an event, a line, or all of it.
type frame struct {
	event string // its name, of server-sent events; empty: it has none
	data  string
	value any  // of data, where that is JSON
	json  bool // it is
}

// done reports whether the frame only says that the stream ends.
func (f frame) done() bool { return strings.TrimSpace(f.data) == doneMark }

// reply is what came, taken apart.
type reply struct {
	frames []frame
	stream bool
	broken bool // it ends inside a frame
}

// takeApart reads a body by its form. bare says that texts which are no JSON are fine.
func takeApart(contentType, body, form string, bare bool) (reply, error) {
	body = strings.TrimPrefix(body, "\ufeff")
	if form == Auto {
		form = formOf(contentType, body)
	}

	var r reply
	var err error
	switch form {
	case SSE:
		r.stream = true
		r.frames, r.broken = events(body)
	case NDJSON:
		r.stream = true
		r.frames, r.broken = lines(body)
	default:
		r.frames = []frame{newFrame("", body)}
	}

	for i, f := range r.frames {
		if !f.json && !f.done() && !bare && (f.data != "" || !r.stream) {
			err = fmt.Errorf("%s is not JSON: %s", r.nameOf(i), begin(f.data))
			break
		}
	}
	return r, err
}

// misformed says that a reply has another form than its description says, and what to change there.
// An empty one has any form.
func misformed(form, body string, bare bool) error {
	say := func(is, right string) error {
		return fmt.Errorf("the reply is %s; write stream: %s, or leave stream: out; the reply begins %s", is, right, begin(body))
	}
	single := json.Valid([]byte(body))
	switch {
	case strings.TrimSpace(body) == "":
	case form == Plain && !bare && !single && looksLikeEvents(body):
		return say("a stream of events", SSE)
	case form == Plain && !bare && !single && looksLikeLines(body):
		return say("a stream of JSON lines", NDJSON)
	case form == SSE && single:
		return say("one JSON value, no stream", Plain)
	case form == SSE && !looksLikeEvents(body) && looksLikeLines(body):
		return say("a stream of JSON lines", NDJSON)
	case form == NDJSON && !bare && !looksLikeLines(body) && looksLikeEvents(body):
		return say("a stream of events", SSE)
	case form == NDJSON && single && !looksLikeLines(body):
		return say("one JSON value over several lines, no stream", Plain)
	}
	return nil
}

// nameOf words a frame.
func (r reply) nameOf(i int) string {
	if !r.stream {
		return "the reply"
	}
	return fmt.Sprintf("part %d of the stream", i+1)
}

// begin is the beginning of a text, in quotes.
func begin(s string) string {
	const most = 80
	if s = strings.TrimSpace(s); len(s) > most {
		return fmt.Sprintf("%.*q…", most, s)
	}
	return fmt.Sprintf("%q", s)
}

// formOf goes by the content type, and where that says nothing by how the body looks: many
// servers send streams as plain text, or as JSON.
func formOf(contentType, body string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = ""
	}
	switch media {
	case "text/event-stream":
		return SSE
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
		"application/jsonlines", "application/json-lines", "application/stream+json":
		return NDJSON
	}

	switch {
	case json.Valid([]byte(body)):
		return Plain
	case looksLikeEvents(body):
		return SSE
	case looksLikeLines(body):
		return NDJSON
	}
	return Plain
}

// looksLikeEvents reports whether the first line that is no comment is a field of an event.
func looksLikeEvents(body string) bool {
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, ":") {
			continue
		}
		return strings.HasPrefix(line, "data:") || strings.HasPrefix(line, "event:") || strings.HasPrefix(line, "id:")
	}
	return false
}

// looksLikeLines reports whether the first line is a JSON object or list by itself.
func looksLikeLines(body string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	return (strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[")) && json.Valid([]byte(line))
}

func newFrame(event, data string) frame {
	f := frame{event: event, data: data}
	v, err := decode(data)
	f.value, f.json = v, err == nil
	return f
}

// decode reads one JSON value. Numbers stay as they are written: ids may be long.
func decode(data string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return v, nil
}

// events reads server-sent events as the HTML standard has them: lines that end by CR, LF or
// both, comments, data of several lines. What stands at the end without the empty line that
// closes an event is one nevertheless if it is whole: many servers leave that line out.
func events(body string) (out []frame, broken bool) {
	var event string
	var data []string
	dispatch := func() {
		if data != nil || event != "" { // LangServe ends streams by an event without data
			out = append(out, newFrame(event, strings.Join(data, "\n")))
		}
		event, data = "", nil
	}

	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			dispatch()
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			event = value
		case "data":
			data = append(data, value)
		case "error": // llama.cpp has sent errors as a field of this name
			event, data = "error", append(data, value)
		}
	}

	last := body[strings.LastIndexByte(body, '\n')+1:]
	rest := strings.Join(data, "\n")
	if last != "" && !strings.HasPrefix(last, ":") && rest != doneMark && !json.Valid([]byte(rest)) {
		return out, true
	}
	dispatch()
	return out, false
}

// lines reads a JSON value a line. A last line that is not whole is a broken end.
func lines(body string) (out []frame, broken bool) {
	rows := bytes.FieldsFunc([]byte(body), func(r rune) bool { return r == '\n' || r == '\r' })
	for i, row := range rows {
		if row = bytes.TrimSpace(row); len(row) == 0 {
			continue
		}
		f := newFrame("", string(row))
		if last := i == len(rows)-1; last && !f.json && !f.done() && !strings.HasSuffix(body, "\n") {
			return out, true
		}
		out = append(out, f)
	}
	return out, false
}
