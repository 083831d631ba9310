package diary

import "time"

// Pages counts the entries of each day, as the writer's clock had it.
func Pages(entries []time.Time) map[string]int {
	pages := map[string]int{}
	for _, entry := range entries {
		pages[dayOf(entry)]++
	}
	return pages
}

func dayOf(entry time.Time) string { return entry.UTC().Format(time.DateOnly) }
