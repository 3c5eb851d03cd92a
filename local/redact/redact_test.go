package redact

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://127.0.0.1:8000/answer":                       "http://127.0.0.1:8000/answer",
		"http://host/a?k8s=1&model=llama-3.1#v2":             "http://host/a?k8s=1&model=llama-3.1#v2",
		"https://ann:hunter2@host:8/a?x=1#v2":                "https://host:8/a?x=1#v2",
		"https://ann@host":                                   "https://host",
		"https://an%40n:p%2Fw@host/":                         "https://host/",
		"http://host/?api_key=s3&x=1&access_token=":          "http://host/?api_key=***&x=1&access_token=***",
		"http://host/?X-Amz-Signature=s3&apiKey=s3&p%61ss=1": "http://host/?X-Amz-Signature=***&apiKey=***&p%61ss=***",
		"http://host/?max_tokens=5&passages=9&author=a&k=3":  "http://host/?max_tokens=5&passages=9&author=a&k=3",
		"http://host/?s3cr3t":                                "http://host/?***",
		"http://host/?":                                      "http://host/?",
		"http://host/?debug&x=1&dry-run":                     "http://host/?debug&x=1&dry-run",
		"http://host/?x=sk-abcdef12345&db_pass=1":            "http://host/?x=***&db_pass=***",

		// No URLs: shown as far as that is safe.
		"127.0.0.1:8000/x":            "127.0.0.1:8000/x",
		"localhost":                   "localhost",
		"ann:hunter2@host/x":          "host/x",
		"http://ann:hun%ter2@host/x":  "http://host/x",
		"http://ann:hun/ter2@host/x":  "http://host/x",
		"http://ann:12/ter2@host/x":   "http://host/x",
		"http://ann:hun#ter2@host/x":  "http://host/x",
		"http://ann:hun?ter2@host/x":  "http://host/x",
		"http://ann:hunter":           "http://***", // a password with a comma, cut there
		"ftp//x?token=s3":             "ftp//x?***",
		"http://[::1]:11434":          "http://[::1]:11434",
		"http://[::1]:x?token=s3":     "http://[::1]:x?***",
		"http:///?api_key=s3cr3t#s3t": "http:///?***",
	} {
		if got := URL(raw); got != want {
			t.Errorf("URL(%q) = %q, want %q", raw, got, want)
		}
		if again := URL(want); again != want && !strings.Contains(want, Mark) {
			t.Errorf("URL(%q) = %q: the public form has another", want, again)
		}
	}
}

func TestSecretValues(t *testing.T) {
	for s, want := range map[string]bool{
		"sk-abcdef12345": true, "Bearer sk-proj-Ab1-x": true, "AIzaSyA1234567": true, "ghp_0123456789": true,
		"github_pat_11ABCDEFG": true, "xoxb-12345-abc": true, "eyJhbGci.eyJzdWIi.c2ln": true, "key=ghp_0123456789": true,
		"sk-learn-docs": false, "task-force-2024": false, "eyJhbGci": false, "sk-": false, "What is AIza?": false, "disk-1234567890": false,
	} {
		if got := IsSecretValue(s); got != want {
			t.Errorf("IsSecretValue(%q) = %v", s, got)
		}
	}
}

func TestHider(t *testing.T) {
	h := NewHider(Secrets("http://an%40n:hunt%2Fer2@host/?token=s3%3Dcret&x=plain"), InErrors)
	for _, text := range []string{
		"an@n", "hunt/er2", "hunt%2Fer2", "s3=cret", "s3%3Dcret", "YW5Abjpod" + "W50L2VyMg==", `{"got":"hunt/er2"}`,
	} {
		if got := h.Text("<" + text + ">"); strings.Contains(got, text) || !strings.Contains(got, Mark) {
			t.Errorf("%q is left: %q", text, got)
		}
	}
	if got := h.Text("host plain x"); got != "host plain x" {
		t.Errorf("what is public is hidden: %q", got)
	}
	if got := NewHider([]string{"me"}, InErrors).Text("some words of mine"); got != "some words of mine" {
		t.Errorf("a short secret is hidden in words: %q", got)
	}

	err := fmt.Errorf("ask: %w", &url.Error{Op: "Post", URL: "http://ann:***@host/?key=abcd&x=1", Err: io.EOF})
	got := h.Error(err)
	if got.Error() != "ask: Post \"http://host/?key=***&x=1\": EOF" || !errors.Is(got, io.EOF) {
		t.Error(got)
	}
}

// Whatever is given, no part of a secret is shown.
func FuzzURL(f *testing.F) {
	f.Add("http://", "host/a?b=c#d")
	f.Add("", "host")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "Qx7Zw9Kv"
		if strings.Contains(after, "//") || strings.ContainsAny(before, "/?#@") && before != "http://" {
			t.Skip()
		}
		for _, raw := range []string{before + "u:" + secret + "@" + after, before + "h/?token=" + secret + "&" + after} {
			if got := URL(raw); strings.Contains(got, secret) {
				t.Errorf("URL(%q) = %q", raw, got)
			}
		}
	})
}

// A secret is hidden however its signs are escaped, and nothing else is.
func TestHiderOfEscapedSecrets(t *testing.T) {
	h := NewHider([]string{`zq/SEC<RET>+tok"en'77`, "k3ySECRETvalue99", "pass word ünïq𝛼"}, InAnswers)
	for _, text := range []string{
		`zq\/SEC<RET>+tok\"en'77`, `zq\u002fSEC\u003CRET\u003e+tok\u0022en\u002777`, `zq/SEC&lt;RET&gt;+tok&quot;en&#39;77`,
		`zq%2FSEC%3cRET%3E%2Btok%22en%2777`, `&#122;q/SEC<RET>+tok&#x22;en'77`, `\u006b\u0033ySECRETvalue99`, `k3ySECRET%76alue99`,
		`pass word \u00fcn\u00efq\ud835\udefc`, `pass+word+%C3%BCn%C3%AFq%F0%9D%9B%BC`, `pass%20word ünïq𝛼`,
	} {
		if got := h.Text("a " + text + " b"); got != "a *** b" {
			t.Errorf("%s: %s", text, got)
		}
		if !h.Finds(text) {
			t.Errorf("%s is not found", text)
		}
	}
	for _, text := range []string{`plain & simple \u00fc %41`, "k3ySECRETvalue98", ""} {
		if got := h.Text(text); got != text || h.Finds(text) {
			t.Errorf("%q became %q", text, got)
		}
	}
}
