package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHandler(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(Handler))
	defer s.Close()
	r, err := http.Get(s.URL + "/ab")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	if string(b) != "6" {
		t.Fatalf("got %s", b)
	}
}
