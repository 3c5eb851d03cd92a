package models

import (
	"slices"
	"strings"

	"lore/local/ollama"
	"lore/local/openai"
)

// Kinds are the kinds of model servers, as they stand before the name of a model.
var Kinds = []string{ollama.BackendName, openai.BackendName}

// Host is where a model server is.
type Host struct {
	Kind string // one of Kinds; empty: that of the models that are asked
	URL  string
}

// Server is the model servers, and whether they may be asked.
type Server struct {
	URL       string // of the only one, or of the first
	Hosts     []Host // as they were named on the command line; empty: URL, where Ollama is
	Key       string // that engines may want to see
	Wrong     error  // what is wrong with the hosts that were named; nil: nothing
	Refused   error  // why Ollama's server may not be asked; nil: it may
	Elsewhere string // the other machine that it is on, where the environment names that
}

// Notice says where questions go, for people.
func (s Server) Notice() string {
	return "OLLAMA_HOST names another machine, " + s.Elsewhere + ": questions and documents are sent there"
}

// Of are the addresses of the servers of a kind.
func (s Server) Of(kind string) []string {
	var out []string
	for _, h := range s.Hosts {
		if h.Kind == "" || h.Kind == kind {
			out = append(out, h.URL)
		}
	}
	switch {
	case len(out) > 0:
		return out
	case kind == openai.BackendName:
		return []string{openai.DefaultHost}
	case len(s.Hosts) > 0:
		return []string{ollama.DefaultHost}
	}
	return []string{s.URL}
}

// Full is the name of a ranker with its backend: one without is Ollama's.
func Full(name string) string {
	if strings.HasPrefix(name, openai.BackendName+":") {
		return name
	}
	return ollama.BackendName + ":" + name
}

// isServed reports whether a backend is a model server.
func isServed(backend string) bool { return slices.Contains(Kinds, backend) }
