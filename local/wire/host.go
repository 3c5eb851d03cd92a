package wire

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"lore/local/redact"
)

// ports of addresses that name a scheme and no port.
var ports = map[string]string{"http": "80", "https": "443"}

// ParseHost reads a server's address as Ollama reads OLLAMA_HOST: without blanks and quotes
// around it, with or without a scheme, host and port. usual is where a server of its kind
// listens, whose port is that of addresses without scheme and port. An address that a server
// listens on, such as 0.0.0.0 or :8080, is this machine to a client. Unlike Ollama, which takes
// the default for a port that is none, lore refuses it. Users, queries and labels are kept.
func ParseHost(text, usual string) (*url.URL, error) {
	bad := func() (*url.URL, error) {
		return nil, fmt.Errorf("model server %q is not a URL like %s", redact.URL(text), usual)
	}
	s := strings.TrimSpace(strings.Trim(strings.TrimSpace(text), `"'`))
	scheme, rest, named := strings.Cut(s, "://")
	if !named {
		scheme, rest = "", s
	}
	scheme = strings.ToLower(scheme)
	port, known := ports[scheme]
	if named && (!known || rest == "") {
		return bad()
	}
	if !named {
		port = usual[strings.LastIndexByte(usual, ':')+1:]
	}

	user, address, tail := cutAddress(rest)
	if strings.HasPrefix(tail, "//") { // a second scheme
		return bad()
	}
	host, given := splitPort(address)
	if given != "" {
		port = given
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 || port[0] == '+' {
		return bad()
	}
	if host = dialled(host); !isHost(host) {
		return bad()
	}

	if scheme == "" {
		scheme = "http"
	}
	u, err := url.Parse(scheme + "://" + user + "host" + tail)
	if err != nil || u.Hostname() != "host" {
		return bad()
	}
	u.Host = net.JoinHostPort(host, port)
	return u, nil
}

// cutAddress cuts what is after "://" into user and password with their "@", host and port,
// and path, query and label.
func cutAddress(s string) (user, address, tail string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s, tail = s[:i], s[i:]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		user, s = s[:i+1], s[i+1:]
	}
	return user, s, tail
}

// splitPort cuts an address into host and port, either of which may be empty. An IPv6
// address may stand without brackets where there is no port, and its zone as in a URL.
func splitPort(address string) (host, port string) {
	if strings.Contains(address, ":") {
		address = strings.Replace(address, "%25", "%", 1)
	}
	if host, port, err := net.SplitHostPort(address); err == nil {
		return host, port
	}
	if inner := strings.Trim(address, "[]"); net.ParseIP(inner) != nil {
		return inner, ""
	}
	return address, ""
}

// dialled is where a client finds a server that listens on a host.
func dialled(host string) string {
	if host == "" {
		return "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil || !ip.WithZone("").IsUnspecified():
		return host
	case ip.Is4() || ip.Is4In6():
		return "127.0.0.1"
	}
	return "::1"
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// isHost tells a name or an address from other text.
func isHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Zone() == "" || hostName.MatchString(ip.Zone())
	}
	return hostName.MatchString(host)
}

// OtherMachine is the name of the machine that a server's address names; empty where it is
// this one.
func OtherMachine(host, usual string) (string, error) {
	u, err := ParseHost(host, usual)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(name); err == nil && ip.WithZone("").Unmap().IsLoopback() {
		return "", nil
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return "", nil
	}
	return name, nil
}
