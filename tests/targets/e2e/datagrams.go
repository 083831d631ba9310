// Datagrams to itself, a file that the kernel carries to a socket, and a port that is taken.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

//go:noinline
func ask(from *net.UDPConn, to *net.UDPAddr, text string) {
	_, err := from.WriteToUDP([]byte(text), to)
	check(err)
}

//go:noinline
func tell(to net.Conn, file *os.File) {
	n, err := io.Copy(to, file)
	check(err)
	fmt.Println("told", n)
}

func main() {
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	check(err)
	client, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	check(err)
	room := make([]byte, 100)
	ask(client, server.LocalAddr().(*net.UDPAddr), "bread?")
	n, peer, err := server.ReadFromUDPAddrPort(room)
	check(err)
	_, _, err = server.WriteMsgUDPAddrPort(append(room[:n], "yes"...), nil, peer)
	check(err)
	n, _, _, _, err = client.ReadMsgUDP(room, nil)
	check(err)
	fmt.Println(string(room[:n]))
	client.Close()
	server.Close()

	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	check(err)
	_, err = net.Listen("tcp4", listener.Addr().String())
	fmt.Println(err != nil)
	to, err := net.Dial("tcp4", listener.Addr().String())
	check(err)
	at, err := listener.Accept()
	check(err)
	file, err := os.Open(os.Args[1])
	check(err)
	tell(to, file)
	to.Close()
	all, err := io.ReadAll(at)
	check(err)
	fmt.Println("heard", len(all))
}
