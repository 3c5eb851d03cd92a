package system

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"lore/local"
	"lore/local/redact"
)

// Service describes a system that is asked, and answers, in a form of its own.
type Service struct {
	Name string // in tables
	File string // that describes it, for messages
	Hash string // SHA-256 of that file

	Method  string            // GET, POST or PUT
	URL     string            // with its secrets; what follows "#" is not sent
	Address string            // URL for people and journals, without them
	Query   []Param           // of the URL, besides its own
	Header  map[string]string // with its secrets

	// Public is the header without secrets, and Secrets are those of header and URL.
	Public  map[string]string
	Secrets []string

	Body any // a template; nil: none is sent

	K       int           // documents that it is asked to use
	Timeout time.Duration // of one answer
	Slots   int           // calls at once; 0: as the command line says
	Retries int           // after the first try; below 0: as the door does

	Stream string // one of Forms
	Rules  Rules
}

// Rules say what stands where in a reply. They are no part of what is asked: a reply that was
// kept is read by other rules without asking again.
type Rules struct {
	Answer    Answering
	Documents Documents
	Citations Citations

	Errors []Path // where a reply with status 200 says what went wrong
	Cut    Is     // it says that the answer reached its length limit
	Ends   []End  // a stream that has none of these broke off; none: any end is fine

	PromptTokens, AnswerTokens Path // what it cost, if the reply says so
}

// Answering says where the answer stands.
type Answering struct {
	At    []Path // the first one that is there is taken
	Text  Path   // in each value, where these are objects
	Cites Path   // in each value: what that part of the answer cites

	Between *string // what joins several values; nil: nothing in a stream, else a line end
	Last    bool    // each part of a stream has the whole answer so far
}

// Documents says where the documents stand that the system used.
type Documents struct {
	At   Path // a list, or its values
	ID   Path // in each; none: the value is the id
	Text Path // in each: the document, or a passage of it

	Pattern *regexp.Regexp // its first group is the document's id in an id; nil: the id is
}

// Ways in which a system names the documents that it cites.
const (
	ByPlace = "place" // by their places among Documents
	ByID    = "id"
	ByText  = "text"
)

// CitingWays lists them.
var CitingWays = []string{ByPlace, ByID, ByText}

// Citations says what the marks of an answer mean, or where its citations stand besides it.
// The zero value: its marks name documents by their ids, or by their places in the data.
type Citations struct {
	By    string // one of CitingWays; empty: the zero value
	First int    // the number of the first of Documents

	At       Path   // a list of citations, or its values; none: the marks of the answer say it all
	Mark     Path   // in each: the mark in the answer that it belongs to; none: its place in the list
	End      Path   // in each: where in the answer its mark goes; none: the answer has marks
	Document Path   // in each: the document or documents; none: the value is
	Unit     string // of End; one of Units
}

// Units in which a system counts places in its answer.
const (
	Characters = "characters"
	UTF16      = "utf-16"
	Bytes      = "bytes"
)

// Units lists them.
var Units = []string{Characters, UTF16, Bytes}

// Is holds where a path has one of some values.
type Is struct {
	At   Path
	Text []string
}

// End is what ends a stream: an event of a name, a line of data, or something at a path.
type End struct {
	Event string
	Data  string
	At    Path
}

func sortedNames(header map[string]string) []string { return slices.Sorted(maps.Keys(header)) }

// Identity is a hash of all that is asked but the question itself: method, address, header
// and body, without a secret. How replies are read is not in it.
func (s *Service) Identity() string {
	data, err := json.Marshal(map[string]any{
		"method": s.Method,
		"url":    s.Address,
		"header": s.Public,
		"query":  s.Query,
		"body":   s.Body,
	})
	if err != nil {
		panic(err) // what comes from a file always encodes
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// Call asks a question.
func (s *Service) Call(query, id string) local.Call {
	content := s.Content(Ask{Query: query, ID: id, K: s.K})
	return local.Call{
		Backend:  BackendName,
		Model:    s.Address,
		Digest:   s.Identity(),
		Messages: []local.Message{{Role: local.User, Content: content}},
	}
}

// Check refuses a service that asks nothing, or cannot be read.
func (s *Service) Check() error {
	asks := holds(s.Body, "query")
	for _, p := range s.Query {
		asks = asks || holds(p.Value, "query")
	}
	switch {
	case strings.Contains(s.URL, "{{"):
		return errors.New("url holds {{ }}: write what changes with the question under query: or body: instead")
	case !asks:
		return errors.New("nothing asks the question: write {{query}} in body:, or under query: for what goes into the URL")
	case len(s.Rules.Answer.At) == 0:
		return errors.New("there is no answer: which says where in the reply the answer stands, such as answer: result.text")
	case s.Rules.Citations.By == ByPlace && !s.Rules.Documents.At.Given():
		return errors.New("citations by place are places among documents:, which is missing")
	}
	return nil
}

// Kept is a reply as it came, which the journal keeps: it is read when it is needed.
type Kept struct {
	Type string `json:"type,omitempty"` // its content type
	Body string `json:"body"`
}

// Unpack reads what Do returned as a reply's text; false where that is no reply of a service.
func Unpack(text string) (Kept, bool) {
	var k struct {
		Type string  `json:"type"`
		Body *string `json:"body"`
	}
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &k) != nil || k.Body == nil {
		return Kept{}, false
	}
	return Kept{k.Type, *k.Body}, true
}

func (k Kept) pack() string {
	data, err := json.Marshal(k)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(data)
}

// SentBody is the body that a call sends; empty: it sends none.
func (s *Service) SentBody(call local.Call) string {
	_, body := s.parts(call.Messages[0].Content)
	return body
}

// Usual is a system with the usual form, at a URL.
func Usual(raw string, k int, timeout time.Duration) *Service {
	at := func(name string) Path { return Path{Text: name, steps: []step{{name: name, text: name}}} }
	return &Service{
		Name:    redact.URL(raw),
		File:    redact.URL(raw),
		Method:  "POST",
		URL:     raw,
		Address: redact.URL(raw),
		Secrets: redact.Secrets(raw),
		Body:    map[string]any{"query": "{{query}}", "k": "{{k}}"},
		K:       k,
		Timeout: timeout,
		Retries: -1,
		Stream:  Plain,
		Rules:   Rules{Answer: Answering{At: []Path{at("answer")}}, Documents: Documents{At: at("documents")}},
	}
}

// First is the number of the first document, as the system counts them.
func (r Rules) First() int {
	if r.Citations.By == "" {
		return 1
	}
	return r.Citations.First
}

// ReadCites reports whether the rules say what the answer cites.
func (r Rules) ReadCites() bool { return r.Citations.By != "" || r.Answer.Cites.Given() }
