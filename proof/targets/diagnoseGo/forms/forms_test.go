package forms

import "testing"

func TestGoodForm(t *testing.T) {
	if got := Submit("Ada", 36); got != "Ada (36)" {
		t.Errorf("got %q, want %q", got, "Ada (36)")
	}
}
