package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lore/local"
)

func open(t *testing.T, address string, dial Dialer) *Client {
	t.Helper()
	base, err := ParseHost(address, usual)
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Base: base, Dial: dial, Key: "sk-very-secret-key", Start: "start it"})
}

// No other host than the configured one is dialled, whoever asks for it.
func TestNoOtherHostIsDialled(t *testing.T) {
	var dialed []string
	c := open(t, "http://model.test:1234", func(_ context.Context, _, addr string) (net.Conn, error) {
		dialed = append(dialed, addr)
		return nil, errors.New("nobody there")
	})
	if resp, err := c.http.Get("http://elsewhere.test/"); err == nil {
		resp.Body.Close()
		t.Error("another host was reached")
	}
	if len(dialed) > 0 {
		t.Errorf("dialled %s", dialed)
	}
	if err := c.Call(context.Background(), "/x", 10, nil, nil); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "start it") {
		t.Errorf("nobody there: %v", err)
	}
	if len(dialed) != 1 || dialed[0] != "model.test:1234" {
		t.Errorf("dialled %s", dialed)
	}
}

// A redirection leads nowhere: it is an answer that is no success.
func TestNoRedirectionIsFollowed(t *testing.T) {
	other := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other++ }))
	defer elsewhere.Close()
	h := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer h.Close()

	_, err := open(t, h.URL, nil).Stream(context.Background(), Request{Path: "/x", Body: 1, Most: 10}, nil)
	if r := Failed(err, sortNothing); r.Outcome != local.ModelError || other != 0 {
		t.Errorf("%+v, the other host was asked %d times", r, other)
	}
}

func sortNothing(code int, text string) (local.Outcome, string) {
	return local.ModelError, fmt.Sprint(code, " ", text)
}

// The key goes to the server in its header, and into nothing that is said.
func TestKeyIsHidden(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"no: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	}))
	defer h.Close()

	_, err := open(t, h.URL, nil).Stream(context.Background(), Request{Path: "/x", Body: 1, Most: 10}, nil)
	r := Failed(err, sortNothing)
	if r.Denied != http.StatusUnauthorized || strings.Contains(r.Detail, "secret") || !strings.Contains(r.Detail, "401 no: Bearer") {
		t.Errorf("%+v", r)
	}
}

func TestErrorText(t *testing.T) {
	for body, want := range map[string]string{
		`plain `:                             "plain",
		`"quoted"`:                           "quoted",
		`{"error":"a"}`:                      "a",
		`{"error":{"message":"b","code":1}}`: "b",
		`{"object":"error","message":"c"}`:   "c",
		`{"detail":"d"}`:                     "d",
		`{"detail":[{"msg":"e"}]}`:           `[{"msg":"e"}]`,
		`{"error":null,"message":"f"}`:       "f",
		`{"x":1}`:                            `{"x":1}`,
		``:                                   "",
	} {
		if got := ErrorText([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// Whatever is sent, lines are not blank, in order, and nothing is lost but white space.
func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\n\n b \r\nc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := NewLineReader(newBounded(bytes.NewReader(data), int64(len(data))))
		var all []byte
		for {
			line, err := lines.Next()
			if err != nil {
				break
			}
			if len(bytes.TrimSpace(line)) == 0 {
				t.Fatal("a blank line")
			}
			all = append(all, line...)
		}
		squeeze := func(b []byte) string { return strings.Join(strings.Fields(string(b)), "") }
		if squeeze(all) != squeeze(data) {
			t.Errorf("%q became %q", data, all)
		}
	})
}
