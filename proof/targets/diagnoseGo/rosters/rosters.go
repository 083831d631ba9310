package rosters

import "strings"

// Rosters gives each captain the same players.
func Rosters(players, captains []string) []string {
	base := chosen(players)
	var all [][]string
	for _, captain := range captains {
		all = append(all, withCaptain(base, captain))
	}
	var told []string
	for _, roster := range all {
		told = append(told, line(roster))
	}
	return told
}

func chosen(players []string) []string {
	base := make([]string, 0, 8)
	for _, player := range players {
		if player != "" {
			base = append(base, player)
		}
	}
	return base
}

func withCaptain(base []string, captain string) []string {
	return append(base, captain)
}

func line(roster []string) string { return strings.Join(roster, " ") }
