package run

import (
	"strings"
	"testing"

	"lore/cmd/lore/internal/models"
	"lore/datasets"
	"lore/embed"
	"lore/index"
	"lore/judge/llm"
)

// Whatever can change a result changes the settings, and what cannot does not. An option
// that nobody has thought of here is a setting.
func TestSettings(t *testing.T) {
	base := Options{}
	for name, change := range map[string]func(*Options){
		"limit":                   func(o *Options) { o.Limit = 3 },
		"seed":                    func(o *Options) { o.Seed = 3 },
		"budget tokens":           func(o *Options) { o.Budget.Tokens = 3 },
		"num predict":             func(o *Options) { o.NumPredict = 3 },
		"temperature":             func(o *Options) { o.Temperature = 0.3 },
		"top p":                   func(o *Options) { o.TopP = 0.3 },
		"models think":            func(o *Options) { o.Models.Think = "high" },
		"models num ctx":          func(o *Options) { o.Models.NumCtx = 3 },
		"judging mode":            func(o *Options) { o.Judging.Mode = llm.Logprob },
		"judging batch":           func(o *Options) { o.Judging.Batch = true },
		"judging examples sha256": func(o *Options) { o.Judging.Examples = &llm.Examples{SHA256: "x"} },
		"judging samples":         func(o *Options) { o.Judging.Samples = 3 },
		"bench eta":               func(o *Options) { o.Bench = map[string]string{"eta": "4"} },
		"pipelines bm25 k1":       func(o *Options) { o.Pipelines.BM25 = index.BM25Params{K1: 3} },
		"pipelines analyzer":      func(o *Options) { o.Pipelines.Analyzer = "de" },
		"bertscore dir":           func(o *Options) { o.BERTScore = &BERTScore{Dir: "d"} },
		"system k":                func(o *Options) { o.Models.Systems.K = 3 },

		"pipelines embedding windows overlap": func(o *Options) {
			o.Pipelines.Embedding.Windows = embed.Windows{Overlap: 3}
		},
	} {
		opt := base
		change(&opt)
		got, was := settingsOf(opt), settingsOf(base)
		if got[name] == was[name] {
			t.Errorf("%s is not among the settings: %v", name, got)
		}
	}

	same := base
	same.Models = models.Config{Server: models.Server{URL: "http://user:secret@h"}, Slots: 7, Cache: "c"}
	same.Models.Systems = models.Systems{URLs: []string{"http://u:secret@h"}, Timeout: 3}
	same.Pipelines.IndexDir = "i"
	same.Answers = []Answers{{Outputs: map[string]datasets.Output{"a": {}}}}
	same.Version = "v"
	for name, value := range settingsOf(same) {
		if value != settingsOf(base)[name] {
			t.Errorf("%s is a setting: %s", name, value)
		}
	}
}

// A configuration holds no secret of a system's URL, and a renewed one changes nothing.
func TestConfigurationKeepsNoSecret(t *testing.T) {
	of := func(secret string) string {
		url := "http://user:" + secret + "@host:1/ask?api_key=" + secret
		return string(mustJSON(Configuration{Systems: asked(models.Systems{URLs: []string{url}})}))
	}
	if data := of("secret"); strings.Contains(data, "secret") || !strings.Contains(data, "http://host:1/ask") {
		t.Error(data)
	}
	if of("secret") != of("renewed") {
		t.Error("a renewed secret makes another configuration")
	}
}

// A folder is extended by a pair, or a pair's folder by another judge; not by another rule, nor where a pair replaced,
// as in an earlier lore, nor without the calibration.
func TestPairsOfAFolder(t *testing.T) {
	of := func(rule string, judges ...string) Configuration {
		c := Configuration{Judges: judges, Settings: map[string]string{}}
		if rule != "" {
			c.Settings[pairSetting] = rule
		}
		return c
	}
	for _, c := range []struct {
		a, b Configuration
		same bool
	}{
		{of("", "lexical"), of("average", "lexical+ollama:m"), true},
		{of("average", "lexical+ollama:m"), of("", "ollama:m"), true},
		{of("average", "lexical+ollama:m"), of("average in 0..1", "lexical+ollama:m"), false},
		{of("", "lexical+ollama:m"), of("average", "lexical+ollama:m"), false},
		{of("calibrated 01", "lexical"), of("", "lexical"), false},
	} {
		if got := len(c.a.differs(c.b)) == 0; got != c.same {
			t.Errorf("%+v and %+v: %v", c.a, c.b, c.a.differs(c.b))
		}
	}
}
