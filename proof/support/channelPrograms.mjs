/* What the programs of `proof/channels.proof.mjs` run and play. */

/** Asks `count` times, by net/http; as `server` its own server, whose log it prints. */
export const goSource = `
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
)

func main() {
	how, base := os.Args[1], os.Args[2]
	count, _ := strconv.Atoi(os.Args[3])
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: how == "client2"}
	client := &http.Client{Transport: transport}
	if how == "server" {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			body := strings.Repeat(r.URL.Path, 1+len(r.URL.Path)%7)
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			io.WriteString(w, body)
			fmt.Println(r.Method, r.URL.Path, 200, len(body))
		}))
		defer server.Close()
		base = server.URL
	}
	for i := 0; i < count; i++ {
		method, body := "GET", io.Reader(nil)
		if i%3 == 0 {
			method, body = "POST", strings.NewReader(strings.Repeat("x", i))
		}
		request, _ := http.NewRequest(method, fmt.Sprint(base, "/go/", i), body)
		answer, err := client.Do(request)
		if err != nil {
			panic(err)
		}
		data, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if how != "server" {
			fmt.Println(len(data))
		}
	}
}
`;

/** A second of each tone, one channel, 44.1 kHz. */
export function waveOf(all) {
  const rate = 44_100;
  const samples = Int16Array.from({ length: rate * all.length }, (_, at) =>
    Math.round(16_383 * Math.sin((2 * Math.PI * all[Math.floor(at / rate)] * (at % rate)) / rate)),
  );
  const head = Buffer.alloc(44);
  head.write('RIFF____WAVEfmt ', 0, 'latin1');
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

/** A flute's A4 for two seconds. */
export const noteA4 = Buffer.from(
  '4d546864000000060000000100604d54726b00000010' +
    '00c049' +
    '00904564' +
    '8300804540' +
    '00ff2f00',
  'hex',
);
