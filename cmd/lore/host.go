package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/redact"
	"lore/local/wire"
)

// hostVariable is where Ollama's own tools find their server.
const hostVariable = "OLLAMA_HOST"

// hostFlags name the model servers. All verbs that may ask one have them.
type hostFlags struct {
	host  hostValue
	allow string // other machines that OLLAMA_HOST and --system may name, by commas
}

// hostValue is a list of addresses that knows whether it was given on the command line.
type hostValue struct {
	text  string // the first
	hosts []models.Host
	given bool
	wrong error // what is wrong with one; the library of flags would print its secrets
}

// Set takes one more address, as pflag.Value has it: URL, or KIND=URL where models of several kinds of
// servers are asked.
func (v *hostValue) Set(s string) error {
	host := models.Host{URL: s}
	if kind, url, ok := strings.Cut(s, "="); ok && slices.Contains(models.Kinds, strings.TrimSpace(kind)) {
		host = models.Host{Kind: strings.TrimSpace(kind), URL: url}
	}
	usual := ollama.DefaultHost
	if host.Kind == openai.BackendName {
		usual = openai.DefaultHost
	}
	_, err := wire.ParseHost(host.URL, usual)
	switch {
	case v.wrong != nil:
	case err != nil:
		v.wrong = usage.Errorf("--host: %v", err)
	case slices.Contains(v.hosts, host):
		v.wrong = usage.Errorf("--host: %s is named twice", redact.URL(host.URL))
	}
	if !v.given {
		v.text = host.URL
	}
	v.hosts, v.given = append(v.hosts, host), true
	return nil
}

// String is what help shows as the default; OLLAMA_HOST may hold a password.
func (v *hostValue) String() string { return redact.URL(v.text) }

// Type stands for the value in help.
func (v *hostValue) Type() string { return "string" }

func (f *hostFlags) add(fl *pflag.FlagSet) {
	f.host.text = strings.TrimSpace(os.Getenv(hostVariable))
	if f.host.text == "" {
		f.host.text = ollama.DefaultHost
	}
	fl.Var(&f.host, "host", "model server, may be repeated; no other is contacted, apart from --system; see lore help servers")
	fl.StringVar(&f.allow, "allow-host", "", "comma-separated hosts besides this machine that "+hostVariable+" or --system may name")
}

// server is the servers that may be asked. One on another machine is named on the command
// line: documents leave this machine, and a variable is soon forgotten.
func (f *hostFlags) server() models.Server {
	s := models.Server{
		URL:     f.host.text,
		Hosts:   f.host.hosts,
		Key:     strings.TrimSpace(os.Getenv(openai.KeyVariable)),
		Wrong:   f.host.wrong,
		Refused: f.host.wrong,
	}
	if f.host.given {
		return s
	}
	other, err := ollama.OtherMachine(s.URL)
	switch {
	case err != nil:
		s.Refused = usage.Errorf("%s: %v", hostVariable, err)
	case other == "":
	case f.allows(other):
		s.Elsewhere = other
	default:
		s.Refused = usage.Errorf("%s names another machine, %s: questions and documents would be sent there; "+
			"write --allow-host %[2]s if they may, or --host %[3]s", hostVariable, other, ollama.DefaultHost)
	}
	return s
}

// allows reports whether --allow-host is a machine, however its address is written.
func (f *hostFlags) allows(machine string) bool {
	return slices.ContainsFunc(usage.List(f.allow), func(host string) bool {
		name, err := ollama.OtherMachine(host)
		return err == nil && name == machine
	})
}
