package web

import (
	"fmt"
	"net/http"
)

func Total(prices []int, discount int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum - discount
}

func Handler(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%d", Total([]int{1, 2, 3}, len(r.URL.Path)))
}
