package view

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"lore/cmd/lore/internal/page"
)

// tokenName is the parameter of the first address that holds the token.
const tokenName = "token"

// guard stands before every request.
type guard struct {
	host   string // address and port, as the browser must name them
	token  string
	cookie string // its name: cookies do not tell ports apart, so the port is in it
	body   int64
	next   http.Handler
}

func guarded(host, token string, body int64, next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(host) // it is a listener's
	return &guard{host: host, token: token, cookie: "lore-view-" + port, body: body, next: next}
}

// headers keep the answer where it is: no frame, no other page, no cache, no other script.
func headers(h http.Header) {
	h.Set("Content-Security-Policy", page.ServedPolicy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// ServeHTTP lets a request through, or says why not. Whoever has no token learns nothing
// else, not even which addresses there are.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	headers(w.Header())
	if status, why := g.refuse(r); status != 0 {
		w.Header().Set("Connection", "close") // what else it would send is not read
		http.Error(w, why, status)
		return
	}

	if given := r.URL.Query().Get(tokenName); given != "" {
		g.exchange(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, g.body)
	g.next.ServeHTTP(w, r)
}

// refuse is the status and the reason of a request that is not let through; 0 for others.
func (g *guard) refuse(r *http.Request) (int, string) {
	origin, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	switch {
	case r.Host != g.host:
		return http.StatusMisdirectedRequest, "This is lore view. Open it as http://" + g.host + "/ alone."
	case len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+g.host:
		return http.StatusForbidden, "Another page asks. lore view answers its own page alone."
	case len(site) > 1 || len(site) == 1 && site[0] != "same-origin" && site[0] != "none":
		return http.StatusForbidden, "Another page asks. Copy the address that lore view printed into the address bar."
	case !g.knows(r):
		return http.StatusUnauthorized, "The token is missing or wrong. Open the address that lore view printed."
	case r.ContentLength > g.body:
		return http.StatusRequestEntityTooLarge, "The request is too large."
	}

	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return 0, ""
	case r.Method == http.MethodPost && takes(r.URL.Path):
		return 0, ""
	}
	return http.StatusMethodNotAllowed, "lore view only reads."
}

// knows compares the token of the address, or that of the cookie, in constant time.
func (g *guard) knows(r *http.Request) bool {
	given := r.URL.Query().Get(tokenName)
	if given == "" {
		cookie, err := r.Cookie(g.cookie)
		if err != nil {
			return false
		}
		given = cookie.Value
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(g.token)) == 1
}

// exchange puts the token of the address into a cookie, which no script can read and which
// the browser sends for no other page, and leads to the address without it.
func (g *guard) exchange(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name:     g.cookie,
		Value:    g.token,
		Path:     "/",
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	// A path of two slashes would be the address of another host.
	w.Header().Set("Location", "/"+strings.TrimLeft(r.URL.EscapedPath(), "/\\"))
	w.WriteHeader(http.StatusSeeOther)
}
