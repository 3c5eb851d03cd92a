package ollamatest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/ollama/ollama/api"

	"lore/local"
)

// Playing answers with the first model that knows the messages, that is, whose answer is
// not empty, and like Plausible where none does.
func Playing(models ...func(messages []local.Message) string) func(api.ChatRequest) string {
	return func(req api.ChatRequest) string {
		messages := make([]local.Message, len(req.Messages))
		for i, m := range req.Messages {
			messages[i] = local.Message{Role: m.Role, Content: m.Content}
		}

		for _, model := range models {
			if answer := model(messages); answer != "" {
				return answer
			}
		}
		return Plausible(req)
	}
}

// probabilities gives the first word of an answer nine tenths, and the other of YES and
// NO the last tenth.
func probabilities(answer string) []api.Logprob {
	first, _, _ := strings.Cut(strings.TrimSpace(answer), " ")
	out := api.Logprob{TokenLogprob: api.TokenLogprob{Token: first, Logprob: math.Log(0.9)}}
	out.TopLogprobs = []api.TokenLogprob{out.TokenLogprob}
	if other := map[string]string{"YES": "NO", "NO": "YES"}[first]; other != "" {
		out.TopLogprobs = append(out.TopLogprobs, api.TokenLogprob{Token: other, Logprob: math.Log(0.1)})
	}
	return []api.Logprob{out}
}

// Plausible answers like a model that works: a request with a schema gets a
// value that obeys it, any other gets bullets with citations. The same request
// gets the same answer.
func Plausible(req api.ChatRequest) string {
	h := fnv.New64a()
	for _, m := range req.Messages {
		h.Write([]byte(m.Content))
	}
	seed := h.Sum64()

	if len(req.Format) > 0 {
		return fromSchema(req.Format, seed)
	}

	last := req.Messages[len(req.Messages)-1].Content
	switch { // the forms that rerankers ask for
	case strings.Contains(last, "Answer with a whole number"):
		return fmt.Sprint(1 + seed%5)
	case strings.Contains(last, "with its letter alone"):
		return "A"
	case strings.Contains(last, "in the form [2] > [1] > [3]"):
		return "[2] > [1]"
	}

	words := strings.Fields(last)
	var b strings.Builder
	for i := range 5 {
		at := int((seed >> (8 * i)) % uint64(max(1, len(words)-12)))
		bullet := strings.Join(words[at:min(len(words), at+12)], " ")
		fmt.Fprintf(&b, "- %s [%d, %d]\n", bullet, 1+seed%40, 1+(seed>>7)%40)
	}
	return b.String()
}

// fromSchema picks a value from each enum of an object schema.
func fromSchema(schema json.RawMessage, seed uint64) string {
	var s struct {
		Properties map[string]struct {
			Enum []json.RawMessage `json:"enum"`
			Type string            `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return "not a schema"
	}

	out := map[string]json.RawMessage{}
	for name, p := range s.Properties {
		if len(p.Enum) > 0 {
			pick := seed % uint64(len(p.Enum))
			if name == "bullet" { // a covered statement needs a bullet
				pick = 1 + seed%uint64(max(1, len(p.Enum)-1))
				pick = min(pick, uint64(len(p.Enum)-1))
			}
			out[name] = p.Enum[pick]
		}

		switch p.Type {
		case "string":
			if len(p.Enum) == 0 {
				out[name] = fmt.Appendf(nil, `"What is said about the harbour and wall %d?"`, seed%100)
			}
		case "boolean":
			out[name] = fmt.Appendf(nil, "%t", name != "reveals_answer")
		case "array":
			out[name] = fmt.Appendf(nil, `["harbour wall %d","town council"]`, seed%10)
		}
	}

	data, err := json.Marshal(out)
	if err != nil {
		return "not a schema"
	}
	return string(data)
}
