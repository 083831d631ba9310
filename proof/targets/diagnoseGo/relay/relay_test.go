package relay

import (
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	got := Results([]string{"first", "second"})
	if want := []string{"first", "second"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
