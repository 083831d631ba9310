package rosters

import "testing"

func TestCaptains(t *testing.T) {
	got := Rosters([]string{"Ada", "Bo"}, []string{"Cy", "Dan"})
	if got[0] != "Ada Bo Cy" {
		t.Errorf("got %q, want %q", got[0], "Ada Bo Cy")
	}
}
