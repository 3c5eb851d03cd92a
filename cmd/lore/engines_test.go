package main

import (
	"flag"
	"strings"

	"github.com/ollama/ollama/api"

	"lore/local/ollama/ollamatest"
	"lore/local/openai/openaitest"
)

// fakeEngine is a command for scripts: an engine that speaks OpenAI's protocol. It serves until it is
// interrupted and writes its URL to a file.
func fakeEngine() {
	var s openaitest.Server
	flag.StringVar(&s.Engine, "engine", openaitest.VLLM, "engine that it behaves as")
	flag.StringVar(&s.Version, "version", "", "version that it tells")
	flag.StringVar(&s.Weights, "weights", "", "end of what it tells of the weights")
	flag.StringVar(&s.Key, "key", "", "key that it wants to see")
	flag.IntVar(&s.Window, "window", 0, "window of the model, in words")
	flag.IntVar(&s.Slots, "slots", 0, "requests at once")
	flag.DurationVar(&s.Delay, "delay", 0, "time a reply takes")
	names := flag.String("names", "fake", "models on offer, with commas")
	builds := flag.Bool("careful", false, "answer the prompts of builds as a careful model would")
	flag.Parse()
	s.Names = strings.Split(*names, ",")
	s.Answer = engineAnswer(*builds)
	serve(&s, flag.Arg(0))
}

// engineAnswer answers as the scripted model of Ollama does.
func engineAnswer(asCareful bool) func(openaitest.Request) string {
	return func(r openaitest.Request) string {
		req := api.ChatRequest{Model: r.Model, Format: r.Schema()}
		for _, m := range r.Messages {
			req.Messages = append(req.Messages, api.Message{Role: m.Role, Content: m.Content})
		}
		if asCareful {
			return careful(req)
		}
		return ollamatest.Plausible(req)
	}
}
