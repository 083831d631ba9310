package depot

import "testing"

func TestEachOrderHasItsShelf(t *testing.T) {
	labels := Labels([]Order{{"A-17", "A1"}, {"B-18", "B7"}, {"C-19", "C3"}})
	if want := "A-17: gate > scale > A1"; labels[0] != want {
		t.Errorf("label = %q, want %q", labels[0], want)
	}
}
