package main

import (
	"bytes"
	"testing"

	"lore/datasets/summhay"
)

func TestTheCommittedSampleIsCurrent(t *testing.T) {
	if !bytes.Equal(Generate(), summhay.Sample()) {
		t.Error("the sample differs from what the program writes; run go generate ./datasets/summhay")
	}
}
