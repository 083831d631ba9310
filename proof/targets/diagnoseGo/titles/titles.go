package titles

import "strings"

// Header tells the columns of a table in their order.
func Header(columns string) string {
	return joined(places(strings.Fields(columns)))
}

func places(columns []string) map[string]int {
	all := map[string]int{}
	for i, column := range columns {
		all[column] = i
	}
	return all
}

func joined(places map[string]int) string {
	var names []string
	for name := range places {
		names = append(names, name)
	}
	return strings.Join(names, "|")
}
