module example.com/rosters

go 1.22
