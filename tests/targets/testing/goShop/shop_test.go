package shop

import (
	"sync"
	"testing"
)

func TestTotal(t *testing.T) {
	for name, prices := range map[string][]int{"two": {1, 2}, "three": {1, 2, 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if Total(prices) == 0 {
				t.Error("nothing")
			}
		})
	}
}

func TestInGoroutine(t *testing.T) {
	var done sync.WaitGroup
	done.Add(1)
	Total([]int{4})
	go func() {
		defer done.Done()
		Total([]int{5})
	}()
	done.Wait()
}

func TestDiscount(t *testing.T) {
	if got := Discount(10, 10); got != 9 {
		t.Errorf("Discount(10, 10) = %d, want 9", got)
	}
}
