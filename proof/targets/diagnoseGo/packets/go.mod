module example.com/packets

go 1.22
