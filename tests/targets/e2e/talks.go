// Requests of its own to its own servers, plain and by TLS: what went over is printed.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"time"
)

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	about := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A call that answers returns after its answer has come.
var served sync.WaitGroup

// Answers each request with its path.
func serve(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		served.Add(1)
		go func() {
			defer served.Done()
			defer connection.Close()
			reader := bufio.NewReader(connection)
			for {
				line, err := reader.ReadString('\n')
				if err != nil {
					return
				}
				path := strings.Fields(line)[1]
				for line != "\r\n" {
					line, err = reader.ReadString('\n')
					check(err)
				}
				fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(path), path)
			}
		}()
	}
}

//go:noinline
func fetch(connection net.Conn, path string) {
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: t0p\r\n\r\n", path)
	answer := make([]byte, 200)
	n, err := connection.Read(answer)
	check(err)
	fmt.Println(string(answer[n-len(path) : n]))
}

// The buffer is on a stack that grows, and so moves, while it is waited for.
//
//go:noinline
func small(connection *tls.Conn, done chan<- string) {
	var answer [64]byte
	n, err := connection.Read(answer[:])
	check(err)
	done <- string(answer[n-6 : n])
}

func main() {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	config := tls.Config{Certificates: []tls.Certificate{certificate()}, InsecureSkipVerify: true}
	hidden := tls.NewListener(must(net.Listen("tcp", "127.0.0.1:0")), &config)
	go serve(plain)
	go serve(hidden)

	open, err := net.Dial("tcp", plain.Addr().String())
	check(err)
	fetch(open, "/plain")
	open.Close()

	secret, err := tls.Dial("tcp", hidden.Addr().String(), &config)
	check(err)
	fetch(secret, "/secret?token=t0p")
	done := make(chan string)
	go small(secret, done)
	_, err = io.WriteString(secret, "GET /stack HTTP/1.1\r\n\r\n")
	check(err)
	fmt.Println(<-done)
	secret.Close()

	_, err = net.Dial("tcp", "127.0.0.1:1")
	fmt.Println(err != nil)
	served.Wait()
}

func must(listener net.Listener, err error) net.Listener {
	check(err)
	return listener
}
