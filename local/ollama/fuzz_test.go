package ollama

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"lore/local"
	"lore/local/wire"
)

// Whatever a server sends, the reply has one of the known outcomes, and only an
// answer with text is ok.
func FuzzChatStream(f *testing.F) {
	f.Add([]byte(`{"message":{"content":"a"},"done":false}` + "\n" + `{"message":{"content":"b"},"done":true,"done_reason":"stop","eval_count":2}` + "\n"))
	f.Add([]byte(`{"error":"model runner has unexpectedly stopped"}` + "\n"))
	f.Add([]byte(`{"message":{"thinking":"hm"},"logprobs":[{"token":"x","logprob":-1,"top_logprobs":[{"token":"y","logprob":-2}]}],"done":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s chatStream
		lines := wire.NewLineReader(bytes.NewReader(data))
		var failed error
		for {
			raw, err := lines.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if failed = s.line(raw); failed != nil {
				break
			}
		}
		r := s.reply(failed)
		if !slices.Contains(local.Outcomes, r.Outcome) || (r.Outcome == local.OK) != (r.Detail == "") || (r.Outcome == local.OK && r.Text == "") {
			t.Errorf("%+v", r)
		}
	})
}
