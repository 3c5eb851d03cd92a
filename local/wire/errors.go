package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"lore/local"
	"lore/local/text"
)

// StatusError is an HTTP answer that is not a success.
type StatusError struct {
	Code int
	Text string
	Wait time.Duration // how long the server asks to be left alone
}

func (e *StatusError) Error() string { return fmt.Sprintf("server answered %d: %s", e.Code, e.Text) }

// ErrEncoded says that an answer is packed, which was not asked for.
var ErrEncoded = errors.New("the answer is compressed, which was not asked for")

// FaultError is a fault of the server that a line of its answer shows.
type FaultError struct {
	Outcome local.Outcome
	Detail  string
}

func (e *FaultError) Error() string { return e.Detail }

// Faulty builds a FaultError.
func Faulty(o local.Outcome, format string, args ...any) error {
	return &FaultError{o, fmt.Sprintf(format, args...)}
}

// Failed is what an error of Stream makes of a reply. sort tells the outcome of an answer by its
// status and words.
func Failed(err error, sort func(code int, text string) (local.Outcome, string)) local.Reply {
	var status *StatusError
	var fault *FaultError
	var late *TimeoutError
	var large *OversizeError
	r := local.Reply{Detail: err.Error()}
	switch {
	case errors.As(err, &status):
		r.Outcome, r.Detail = sort(status.Code, status.Text)
		r.Wait = status.Wait
		if status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden {
			r.Denied = status.Code
		}
	case errors.As(err, &fault):
		r.Outcome, r.Detail = fault.Outcome, fault.Detail
	case errors.As(err, &late):
		r.Outcome = local.Timeout
	case errors.As(err, &large):
		r.Outcome = local.Oversized
	case errors.Is(err, ErrEncoded):
		r.Outcome = local.ModelError
	default:
		r.Outcome = local.Transport
	}
	return r
}

// ErrorText takes the message out of the forms in which servers word errors: a text; {"error": text};
// {"error": {"message": text}}; {"message": text}; {"detail": text}. Others are shown as they are.
func ErrorText(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	whole := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &e) != nil {
		var text string
		if json.Unmarshal(body, &text) == nil && text != "" {
			return text
		}
		return whole
	}
	switch {
	case len(e.Error) > 0 && string(e.Error) != "null":
		return ErrorText(e.Error)
	case e.Message != "":
		return e.Message
	case len(e.Detail) > 0 && string(e.Detail) != "null":
		return ErrorText(e.Detail)
	}
	return whole
}

// mostShown is how many bytes of an error's text a person may want to read.
const mostShown = 500

// Brief cuts an error's text to what a person may want to read.
func Brief(s string) string { return text.Clipped(s, mostShown) }
