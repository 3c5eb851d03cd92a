package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/models"
	"lore/local"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/wire"
)

// wantsEngines reports whether the hosts are engines that speak OpenAI's protocol: the model or a host
// says so, or a host that was named is one and no Ollama server.
func (d *doctor) wantsEngines(ctx context.Context, server models.Server) bool {
	if strings.HasPrefix(d.model, openai.BackendName+":") {
		return true
	}
	if strings.HasPrefix(d.model, ollama.BackendName+":") || !d.host.given {
		return false
	}
	if slices.ContainsFunc(server.Hosts, func(h models.Host) bool { return h.Kind != "" }) {
		return !slices.ContainsFunc(server.Hosts, func(h models.Host) bool { return h.Kind == ollama.BackendName })
	}
	c, err := openai.Open(ctx, openai.Config{Host: server.URL, Key: server.Key})
	return err == nil && c.Engine() != openai.Ollama
}

// engines looks at each engine and its models. longest is the tokens of the largest corpus.
func (d *doctor) engines(ctx context.Context, server models.Server, longest int) error {
	_, name, _ := strings.Cut(d.model, ":")
	for _, url := range server.Of(openai.BackendName) {
		c, err := openai.Open(ctx, openai.Config{Host: url, Key: server.Key, Limits: wire.Limits{First: 10 * time.Minute}})
		if err != nil {
			return err
		}
		d.ok("network", "lore connects to %s", c.Host())
		d.ok("model server", "%s at %s", c.Server(), c.Host())
		for _, listed := range c.Names() {
			if name != "" && listed != name {
				continue
			}
			if err := d.engineModel(ctx, c, listed, longest); err != nil {
				return err
			}
		}
		if name == "" {
			continue
		}
		if err := d.probeEngine(ctx, c, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *doctor) engineModel(ctx context.Context, c *openai.Client, name string, longest int) error {
	m, err := c.Model(ctx, name)
	if err != nil {
		return err
	}
	fits := "holds the largest corpus"
	switch {
	case m.Context == 0:
		fits = "the server does not tell its window: say it with --num-ctx"
	case m.Context < longest:
		fits = "too small for the largest corpus (full context), fine for retrieved contexts that fit"
	}
	d.ok("model", "openai:%s%s, window of %d tokens: %s", m.Name, after(m.About), m.Context, fits)
	if m.Slots > 0 {
		d.ok("slots", "%d calls at once: run with --slots %d", m.Slots, m.Slots)
	}
	if m.Warning != "" {
		d.note("model", "%s", m.Warning)
	}
	if m.Exact {
		d.ok("weights", "digest %.12s", m.Digest)
	}
	return nil
}

// after puts a blank before words that may be none.
func after(words string) string {
	if words == "" {
		return ""
	}
	return " " + words
}

// probeEngine tries what runs need of a model.
func (d *doctor) probeEngine(ctx context.Context, c *openai.Client, name string) error {
	m, err := c.Model(ctx, name)
	if err != nil {
		return err
	}
	call := func(text string) local.Call {
		o := doctorOptions
		o.Think = "false"
		if m.Context > 0 {
			o.NumCtx = m.Context
		}
		words := []local.Message{{Role: local.User, Content: text}}
		return local.Call{Backend: openai.BackendName, Model: m.Name, Messages: words, Options: o}
	}
	r, err := c.Do(ctx, call("Say hello."))
	if err != nil {
		return err
	}
	if !answered(r) && r.Outcome != local.Empty {
		d.problem("answer", "%s does not answer: %s: %s", m.Name, r.Outcome, r.Detail)
		return nil
	}
	d.ok("answer", "%s answered in %s", m.Name, r.Usage.Duration.Round(time.Millisecond))
	if r.Usage.PromptTokens == 0 {
		d.problem("counts", "the server does not say how many tokens of a prompt it has read: no long prompt can be proved whole")
	}

	if !m.Exact {
		if _, err := c.Fingerprint(ctx, m); err != nil {
			d.note("weights", "known by name alone: a change of weights is not seen (%v)", err)
		} else {
			d.ok("weights", "known by name, and by the likeliest next tokens of a text")
		}
	}
	return d.promises(ctx, subject{c, call})
}
