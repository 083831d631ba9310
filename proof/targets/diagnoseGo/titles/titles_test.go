package titles

import "testing"

func TestColumnsKeepTheirOrder(t *testing.T) {
	got := Header("a b c d e f g h i j k l")
	if want := "a|b|c|d|e|f|g|h|i|j|k|l"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
