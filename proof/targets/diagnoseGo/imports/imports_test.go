package imports

import "testing"

func TestBadNumberFails(t *testing.T) {
	if got := Import("1 2 x"); got != "failed" {
		t.Errorf("got %q, want %q", got, "failed")
	}
}
