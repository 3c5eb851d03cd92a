package wire

import (
	"net/netip"
	"strings"
	"testing"
)

// usual is where a server listens, as Ollama does.
const usual = "http://127.0.0.1:11434"

// Addresses as Ollama's own envconfig.Host reads them, dialled by a client.
func TestParseHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "http://127.0.0.1:11434",
		"  ":                           "http://127.0.0.1:11434",
		"localhost":                    "http://localhost:11434",
		"example.com":                  "http://example.com:11434",
		"example.com:1234":             "http://example.com:1234",
		"example.com:":                 "http://example.com:11434",
		"http://example.com":           "http://example.com:80",
		"https://example.com":          "https://example.com:443",
		"HTTPS://example.com":          "https://example.com:443",
		"https://example.com:1234/a/b": "https://example.com:1234/a/b",
		"example.com/a":                "http://example.com:11434/a",
		":1234":                        "http://127.0.0.1:1234",
		"0.0.0.0":                      "http://127.0.0.1:11434",
		"0.0.0.0:1234":                 "http://127.0.0.1:1234",
		"http://0.0.0.0:1234":          "http://127.0.0.1:1234",
		"[::]:1234":                    "http://[::1]:1234",
		"::":                           "http://[::1]:11434",
		"::1":                          "http://[::1]:11434",
		"[::1]":                        "http://[::1]:11434",
		"fe80::1%eth0":                 "http://[fe80::1%25eth0]:11434",
		"[::1]:1234":                   "http://[::1]:1234",
		"[0001:002:003:0004::1]":       "http://[0001:002:003:0004::1]:11434",
		"  1.2.3.4 ":                   "http://1.2.3.4:11434",
		`"1.2.3.4:5"`:                  "http://1.2.3.4:5",
		"' example.com '":              "http://example.com:11434",
		"http://u:p@h:1?token=x#l":     "http://u:p@h:1?token=x#l",
		"u:p@h":                        "http://u:p@h:11434",
		"1.2.3.4:0":                    "http://1.2.3.4:0",
	} {
		u, err := ParseHost(in, usual)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v; want %s", in, u, err, want)
		}
	}
	for _, in := range []string{
		"ftp://h", "://h", "h:port", "h:65536", "h:-1", "a b", "a\nb", "http://", "a,b", "h:1:2", "[h", "%zz", "http://http://h",
	} {
		if u, err := ParseHost(in, usual); err == nil {
			t.Errorf("%q is read as %s", in, u)
		}
	}
}

func TestOtherMachine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "localhost": "", "LOCALHOST.:1": "", "a.localhost": "", "127.1.2.3:80": "", "[::1]": "", "0.0.0.0": "", ":80": "",
		"::ffff:127.0.0.1": "", "gpu.lab": "gpu.lab", "https://GPU.lab:8": "gpu.lab", "10.0.0.7": "10.0.0.7", "[fe80::1]:1": "fe80::1",
		"localhost.evil.com": "localhost.evil.com", "http://localhost@evil.com": "evil.com", "127.0.0.1.evil.com": "127.0.0.1.evil.com",
	} {
		if got, err := OtherMachine(in, usual); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

// An address that is read has a host and a port, and is read the same again.
func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"", ":1", "0.0.0.0:1", "[::]:1", "https://h", "'h'", "u:p@h:1/x?y#z", "fe80::1%eth0", "[fe80::1%25eth0]:1", "h:99999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseHost(s, usual)
		if err != nil {
			return
		}
		if u.Hostname() == "" || u.Port() == "" || strings.ContainsAny(u.Host, " \t\n/@?#") {
			t.Errorf("%q: %q", s, u)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
			t.Errorf("%q is dialled at %s", s, u)
		}
		if again, err := ParseHost(u.String(), usual); err != nil || again.Host != u.Host {
			t.Errorf("%q: %q is read as %v, %v", s, u, again, err)
		}
	})
}
