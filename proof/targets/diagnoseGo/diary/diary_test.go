package diary

import (
	"testing"
	"time"
)

func TestLateEntry(t *testing.T) {
	zone := time.FixedZone("west", -5*3600)
	pages := Pages([]time.Time{time.Date(2026, 3, 1, 22, 30, 0, 0, zone)})
	if pages["2026-03-01"] != 1 {
		t.Errorf("pages = %v, want one on March 1st", pages)
	}
}
