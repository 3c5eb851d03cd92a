package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lore/local"
	"lore/local/ollama"
	"lore/local/tokens"
)

// Ollama is the backend's name in settings.
const Ollama = "ollama"

// ollamaWindow bounds the context window that a server is asked for.
const ollamaWindow = 8192

// ollamaBatch is how many texts go to the server in one request.
const ollamaBatch = 32

// served embeds by an Ollama server, which tokenises, pools and normalises.
type served struct {
	client   *ollama.Client
	settings Settings
	fullName string // of the model, with its tag
	vectors  checker
	pause    time.Duration // before the first repeat; doubled each time
}

// OpenOllama uses an embedding model of a server. The server cuts long texts
// without saying so if it is let; lore forbids it, and takes a text that does not
// fit apart at white space. So Cut is refused. Prefixes that are given come before those
// that are known by the model's name.
func OpenOllama(
	ctx context.Context, client *ollama.Client, model string, w Windows, prefixes ...Prefixes,
) (Embedder, error) {
	if w.Long == Cut {
		return nil, errors.New("an Ollama server does not say what it cuts: use mean or max for long texts")
	}

	info, err := client.Model(ctx, model)
	if err != nil {
		return nil, err
	}
	s := &served{client: client, fullName: info.Name, pause: time.Second, settings: Settings{
		Name:       Ollama + ":" + model,
		Backend:    Ollama,
		Model:      info.Digest,
		Pooling:    poolNone,
		Normalize:  true,
		Similarity: Cosine,
		MaxTokens:  info.Context,
		Windows:    w,
	}}

	s.vectors = checker{
		model:  s.settings.Name,
		fault:  ollama.ErrFault,
		remedy: "choose another embedding model, or fetch it again with `ollama pull " + model + "`",
	}

	note := func(text string) { s.settings.Notes = append(s.settings.Notes, text) }
	if w.Tokens > 0 {
		note("windows are counted in " + tokens.Name + " tokens, not in the model's own")
	}
	if info.Context > ollamaWindow {
		s.settings.MaxTokens = ollamaWindow
		note(fmt.Sprintf("the model takes %d tokens; longer texts than %d are embedded in parts, "+
			"to save the server's memory", info.Context, ollamaWindow))
	}
	if !info.Embeds {
		note("the server does not list the model as one for embeddings")
	}

	from := noPrefixes
	if family, ok := lookUp(model); ok {
		s.settings.QueryPrefix, s.settings.PassagePrefix = family.query, family.passage
		from = family.prefixes(byModelName)
	}
	s.settings.settle(prefixes, origin{from, from})

	if _, err := s.Embed(ctx, Query, trialTexts); err != nil {
		return nil, fmt.Errorf("try the embedding model %s: %w", model, err)
	}
	return s, s.canary(ctx)
}

// canaryWords is the length of a text that fits most windows, and is longer than those that
// servers are known to fall back to.
const canaryWords = 2000

// canary tries out that the server does not cut texts, one that fits the window and one
// that does not: they are refused as too long, or their end moves the vector.
func (s *served) canary(ctx context.Context) error {
	window := s.settings.MaxTokens
	if window == 0 {
		return nil
	}

	for _, words := range []int{min(canaryWords, window/2), window + 64} {
		long := local.Canary + strings.Repeat("The bird sat on the gate and sang. ", words/8+1)
		got, err := s.ask(ctx, []string{long + "Then rain fell.", long + "Nobody spoke of taxes."})
		switch {
		case errors.Is(err, ollama.ErrTooLong):
		case err != nil:
			return fmt.Errorf("try a long text on the embedding model %s: %w", s.modelName(), err)
		case slices.Equal(got[0], got[1]):
			return fmt.Errorf("%w: %s gives texts of %d words the same vector whose ends differ: the server cuts them, "+
				"although it is told not to; use another version of the server, or another model",
				ollama.ErrFault, s.modelName(), words)
		}
	}
	return nil
}

func (s *served) Settings() Settings { return s.settings }

func (s *served) Close() error { return nil }

// Embed puts the role's prefix before every window.
func (s *served) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	prefix := s.settings.prefix(role)
	var parts []string
	var owner []int // the text that a part comes from
	out := make([]Embedding, len(texts))
	for i, t := range texts {
		for _, p := range s.split(t) {
			parts, owner = append(parts, p), append(owner, i)
		}
	}

	vectors := make([][][]float32, len(texts))
	lengths := make([][]int, len(texts))
	for start := 0; start < len(parts); start += ollamaBatch {
		end := min(start+ollamaBatch, len(parts))
		got, sizes, err := s.batch(ctx, prefix, parts[start:end])
		if err != nil {
			return nil, err
		}

		for k := range got {
			i := owner[start+k]
			vectors[i], lengths[i] = append(vectors[i], got[k]...), append(lengths[i], sizes[k]...)
		}
	}

	// Vectors are kept by digest, so the weights must still be those.
	if err := s.client.Still(ctx, s.fullName, s.settings.Model); err != nil {
		return nil, fmt.Errorf("embed by %s: %w", s.settings.Name, err)
	}
	for i := range out {
		out[i].Windows = len(vectors[i])
		out[i].Vector = poolWindows(s.settings.Windows.Long, vectors[i], lengths[i])
		if len(vectors[i]) > 1 {
			normalize(out[i].Vector)
		}
		for _, n := range lengths[i] {
			out[i].Tokens += n
		}
	}

	return out, nil
}

// split makes windows of a stated size. A server refuses an empty text: it becomes
// a space.
func (s *served) split(text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{" "}
	}
	w := s.settings.Windows
	if w.Tokens == 0 {
		return []string{text}
	}
	return tokens.Windows(text, w.Tokens, w.Overlap)
}

// batch embeds texts with a prefix; one that does not fit is halved until its parts do.
func (s *served) batch(ctx context.Context, prefix string, texts []string) (
	vectors [][][]float32, lengths [][]int, err error,
) {
	got, err := s.ask(ctx, prefixed(prefix, texts))
	if err == nil {
		for i, v := range got {
			vectors, lengths = append(vectors, [][]float32{v}), append(lengths, []int{tokens.Count(texts[i])})
		}
		return vectors, lengths, nil
	}

	if !errors.Is(err, ollama.ErrTooLong) {
		return nil, nil, err
	}

	if len(texts) > 1 { // find the one that is too long
		for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
			v, n, err := s.batch(ctx, prefix, half)
			if err != nil {
				return nil, nil, err
			}
			vectors, lengths = append(vectors, v...), append(lengths, n...)
		}
		return vectors, lengths, nil
	}

	a, b := halve(texts[0])
	if b == "" {
		return nil, nil, err
	}

	v, n, err := s.batch(ctx, prefix, []string{a, b})
	if err != nil {
		return nil, nil, err
	}
	return [][][]float32{slices.Concat(v...)}, [][]int{slices.Concat(n...)}, nil
}

func prefixed(prefix string, texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = prefix + t
	}
	return out
}

// halve splits a text near its middle, at white space if there is any.
func halve(text string) (string, string) {
	runes := []rune(text)
	if len(runes) < 2 {
		return text, ""
	}

	middle := len(string(runes[:len(runes)/2]))
	at := strings.LastIndexAny(text[:middle], " \t\n")
	if at <= middle/2 {
		at = middle
	}
	return text[:at], text[at:]
}

// ask repeats what failed in transport, and checks what came.
func (s *served) ask(ctx context.Context, texts []string) ([][]float32, error) {
	pause := s.pause
	for try := 1; ; try++ {
		got, err := s.client.Embed(ctx, s.modelName(), texts, s.settings.MaxTokens)
		switch {
		case err == nil:
			return got, s.vectors.check(texts, got)
		case try >= ollama.Tries(err):
			return nil, fmt.Errorf("embed by %s: %w", s.settings.Name, err)
		}

		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		pause *= 2
	}
}

func (s *served) modelName() string { return strings.TrimPrefix(s.settings.Name, Ollama+":") }
