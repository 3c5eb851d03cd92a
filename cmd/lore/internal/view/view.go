// Package view shows runs from a server on this machine, for the person who started it.
//
// It serves the page of package page: one shell, whose script asks for the blocks of a run
// one by one. Before a run is finished, the page says how far it is.
//
// What it shows is people's own documents, so that nobody else may have it: no other user
// of the machine, and no other page in the same browser. The server listens on loopback
// alone. Every request must name that address as its host, which a page that had its own
// name point here cannot; must not come from another page; and must carry the token, which
// only whoever started the server was told. No path of a file is ever taken from an
// address: runs are named by ids of a list.
package view

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/usage"
)

// Run is a run folder as a line of the list. All but its folder is safe to show.
type Run struct {
	Folder    string   `json:"-"`
	Problem   string   `json:"problem,omitempty"` // why nothing else is known
	Benchmark string   `json:"benchmark,omitempty"`
	Items     int      `json:"items"`
	Systems   int      `json:"systems"`
	Judges    []string `json:"judges,omitempty"`
	Metric    string   `json:"metric,omitempty"` // the main figure
	Value     *float64 `json:"value,omitempty"`  // of the best system
	Best      string   `json:"best,omitempty"`   // that system
	Failed    int      `json:"failed"`           // answers that are missing
	Unscored  int      `json:"unscored"`         // values that are missing
}

// Source is where runs come from.
type Source interface {
	// List lists runs. It is asked again and again, to see new ones.
	List() ([]Run, error)
	// Page makes the page of one finished run, or of several.
	Page(folders []string) (*page.Page, error)
	Labelling
}

// Limits of what a request may cost.
type limits struct {
	header, read, write, idle time.Duration
	headerBytes               int
	bodyBytes                 int64
}

// usual limits. A page of a hundred systems is made within the time to write.
var usual = limits{
	header:      5 * time.Second,
	read:        15 * time.Second,
	write:       5 * time.Minute,
	idle:        time.Minute,
	headerBytes: 16 << 10,
	bodyBytes:   1 << 20, // a label that marks long places
}

// Server shows runs until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	token    string
	runs     *runs
}

// Hosts are the addresses that a server may listen on.
var Hosts = []string{"127.0.0.1", "::1"}

// Listen opens a server on a loopback address. Port 0 takes any that is free.
func Listen(host string, port int, source Source, about string) (*Server, error) {
	return listen(host, port, source, about, usual)
}

func listen(host string, port int, source Source, about string, limits limits) (*Server, error) {
	if !slices.Contains(Hosts, host) {
		return nil, usage.Errorf("--host is %s, not %q: the page is for this machine alone", strings.Join(Hosts, " or "), host)
	}
	if port < 0 || port > 65535 {
		return nil, usage.Errorf("--port is from 0 to 65535, not %d", port)
	}

	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, usage.Errorf("port %d of %s is in use; choose another with --port, or leave it out for one that is free", port, host)
	case errors.Is(err, syscall.EACCES):
		return nil, usage.Errorf("you may not use port %d; choose one above 1023 with --port", port)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w", host, err)
	}

	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, errors.Join(fmt.Errorf("draw a token: %w", err), l.Close())
	}
	s := &Server{listener: l, token: hex.EncodeToString(secret), runs: newRuns(source, about)}
	s.http = &http.Server{
		Handler:           guarded(l.Addr().String(), s.token, limits.bodyBytes, routes(s.runs)),
		ReadHeaderTimeout: limits.header,
		ReadTimeout:       limits.read,
		WriteTimeout:      limits.write,
		IdleTimeout:       limits.idle,
		MaxHeaderBytes:    limits.headerBytes,
		ErrorLog:          log.New(silent{}, "", 0), // what strangers send is not worth a line
	}
	return s, nil
}

// silent drops what is written.
type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }

// LabelURL is the address of a labelling folder, with the token.
func (s *Server) LabelURL(folder string) string {
	return "http://" + s.listener.Addr().String() + "/label/" + idOf(folder) + "?" + tokenName + "=" + s.token
}

// URL is the address of the list, or of runs by their folders, with the token.
func (s *Server) URL(folders ...string) string {
	return "http://" + s.listener.Addr().String() + pathOf(folders) + "?" + tokenName + "=" + s.token
}

// Serve answers until the context ends, which is no error: a server has no other end.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { s.http.Close() })
	defer stop()
	err := s.http.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve the page: %w", err)
}

// Close ends the server at once.
func (s *Server) Close() error { return s.http.Close() }
