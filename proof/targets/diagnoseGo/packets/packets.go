package packets

// Sizes tells what a reader of these payloads will take.
func Sizes(payloads [][]byte) []int {
	var sizes []int
	for _, payload := range payloads {
		sizes = append(sizes, taken(frame(payload)))
	}
	return sizes
}

func frame(payload []byte) []byte {
	return append([]byte{prefix(len(payload))}, payload...)
}

func prefix(length int) byte { return byte(length) }

func taken(frame []byte) int { return int(frame[0]) }
