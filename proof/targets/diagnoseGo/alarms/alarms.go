package alarms

import "strings"

type alarm func() string

// Ring rings all alarms of a day.
func Ring(times []string) []string {
	var told []string
	for _, one := range scheduled(times) {
		told = append(told, upper(one()))
	}
	return told
}

func scheduled(times []string) []alarm {
	var all []alarm
	for _, at := range times {
		all = append(all, func() string { return "ring at " + at })
	}
	return all
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
