package alarms

import "testing"

func TestEachAlarmRings(t *testing.T) {
	got := Ring([]string{"six", "noon"})
	if got[0] != "Ring at six" {
		t.Errorf("got %q, want %q", got[0], "Ring at six")
	}
}
