package area

import (
	"fmt"
	"testing"
)

func TestWorks(t *testing.T) {
	if Area(2, 2) != 4 {
		t.Fatal("2 by 2")
	}
}

func TestIsWrong(t *testing.T) {
	fmt.Println("said by TestIsWrong")
	if got := Area(2, 3); got != 6 {
		t.Errorf("Area(2, 3) = %d, want 6", got)
	}
}

func TestSides(t *testing.T) {
	for _, side := range []int{1, 2} {
		t.Run(fmt.Sprintf("side %d", side), func(t *testing.T) {
			if Area(side, side) != side*side {
				t.Errorf("side %d", side)
			}
		})
	}
}

func TestSkipped(t *testing.T) { t.Skip("no ruler") }
