package service

import (
	"encoding/json"
	"maps"
	"regexp"

	"go.yaml.in/yaml/v3"

	"lore/local/redact"
	"lore/local/system"
)

// openAI is the preset of chat endpoints in the style of OpenAI.
const openAI = "openai"

// at is a path that is known to be one.
func at(s string) system.Path {
	p, err := system.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// takePreset fills in what is common to a kind of server.
func (r *reader) takePreset(n *yaml.Node) error {
	if err := oneOf(&r.preset, []string{openAI})(n); err != nil {
		return err
	}
	r.out.Rules = system.Rules{
		// Texts may come as parts, {"type": "text", "text": "..."}.
		Answer: system.Answering{
			At:   []system.Path{at("choices[0].delta.content"), at("choices[0].message.content")},
			Text: at("text"),
		},
		Errors: []system.Path{at("error")},
		Cut:    system.Is{At: at("choices[0].finish_reason"), Text: []string{"length"}},
		// Some servers send the mark, some only say why they stopped.
		Ends:         []system.End{{Data: "[DONE]"}, {At: at("choices[0].finish_reason")}},
		PromptTokens: at("usage.prompt_tokens"),
		AnswerTokens: at("usage.completion_tokens"),
	}
	return nil
}

// takeStream reads in which form the reply comes. true asks a preset for a stream.
func (r *reader) takeStream(n *yaml.Node) error {
	n = meant(n)
	r.stream = n
	switch {
	case r.preset != "" && (n.Value == "true" || n.Value == "false"):
		return nil // the body says it, and the reply shows whether the server does it
	case n.Value == "true":
		return nil
	}
	return oneOf(&r.out.Stream, system.Forms)(n)
}

// takeBody reads the template, on top of what a preset sends.
func (r *reader) takeBody() error {
	var own any
	if r.body != nil {
		var err error
		if own, err = tree(r.body, true); err != nil {
			return err
		}
	}
	if r.preset == "" {
		for _, n := range []*yaml.Node{r.model, r.prompt} {
			if n != nil {
				return atLine(n, "model: and system: are for preset: %s; without one, write them into body:", openAI)
			}
		}
		r.out.Body = own
		return nil
	}

	body, err := r.chat()
	if err != nil {
		return err
	}
	if own != nil {
		more, ok := own.(map[string]any)
		if !ok {
			return atLine(r.body, "body: a map is wanted, of what is sent besides model, messages and stream")
		}
		maps.Copy(body, more)
	}
	r.out.Body = body
	return nil
}

// chat is what asks a chat endpoint.
func (r *reader) chat() (map[string]any, error) {
	body := map[string]any{"stream": r.stream != nil && r.stream.Value != "false"}
	if body["stream"] == true {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	if r.model != nil {
		var name string
		if err := text(&name)(r.model); err != nil {
			return nil, err
		}
		body["model"] = name
	}

	var messages []any
	if r.prompt != nil {
		prompt, err := tree(r.prompt, false)
		if err != nil {
			return nil, err
		}
		messages = append(messages, map[string]any{"role": "system", "content": prompt})
	}
	body["messages"] = append(messages, map[string]any{"role": "user", "content": "{{query}}"})
	return body, nil
}

// secretKey is a name in a body whose value nobody sends but as a secret.
var secretKey = regexp.MustCompile(`(?i)(^|[_-])(api[_-]?key|apikey|password|passwd|pass|pwd|client[_-]?secret|secret|authorization|` +
	`access[_-]?token|auth[_-]?token|bearer)$`)

// tree is a template as values of JSON.
func tree(n *yaml.Node, secrets bool) (any, error) {
	n = meant(n)
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		err := each(n, "body", func(key, value *yaml.Node) error {
			if secrets && secretKey.MatchString(key.Value) {
				return atLine(key, "body: %s looks like a secret, and what is sent is kept in the run folder; "+
					"send it under headers:, with $VARIABLE in its place", key.Value)
			}
			v, err := tree(value, secrets)
			out[key.Value] = v
			return err
		})
		return out, err
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			var err error
			if out[i], err = tree(c, secrets); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return leaf(n)
}

// leaf is a value that holds no others. What JSON cannot say, such as dates, is text.
func leaf(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		var v bool
		err := n.Decode(&v)
		return v, err
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var v float64
		if err := n.Decode(&v); err != nil {
			return nil, err
		}
		if _, err := json.Marshal(v); err != nil {
			return nil, atLine(n, "%s is not a number that JSON has", n.Value)
		}
		return v, nil
	}
	if redact.IsSecretValue(n.Value) {
		return nil, openSecret(n, "body")
	}
	if err := system.CheckTemplate(n.Value); err != nil {
		return nil, atLine(n, "%w", err)
	}
	return n.Value, nil
}
