package packets

import "testing"

func TestLargePayload(t *testing.T) {
	got := Sizes([][]byte{make([]byte, 3), make([]byte, 300)})
	if got[1] != 300 {
		t.Errorf("size = %d, want 300", got[1])
	}
}
