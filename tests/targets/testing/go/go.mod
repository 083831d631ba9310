// A module with every kind of outcome a Go test has.
module example.com/area

go 1.20
