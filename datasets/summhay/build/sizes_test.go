package build

import (
	"errors"
	"testing"
)

func TestSizes(t *testing.T) {
	for _, s := range []Sizes{{1, 6, 100, 750, 6}, {10, 2, 100, 750, 6}, {10, 6, 1, 750, 1}, {10, 6, 5, 750, 6},
		{10, 6, 100, 20, 6}, {10, 6, 10, 100, 6}, {2, 3, 100, 750, 10}} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if err := errors.Join(whole.Check(), Published.Check()); err != nil {
		t.Error(err)
	}
}
