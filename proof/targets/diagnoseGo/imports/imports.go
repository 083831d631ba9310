package imports

import (
	"fmt"
	"strconv"
	"strings"
)

// Import adds up a text of numbers.
func Import(text string) string {
	sum, err := sumOf(strings.Fields(text))
	if err != nil {
		return "failed"
	}
	return fmt.Sprint("sum ", sum)
}

func sumOf(words []string) (sum int, err error) {
	for _, word := range words {
		n, err := number(word)
		if err != nil {
			break
		}
		sum += n
	}
	return sum, err
}

func number(word string) (int, error) { return strconv.Atoi(word) }
