"""A web shop: a page with a button, a server that takes the order, and a store of SQLite. Opens its page in the browser."""
import http.server
import os
import sqlite3
import subprocess
import sys

PAGE = b"""<!doctype html><title>Shop</title><link rel="icon" href="data:,"><button onclick="buy('tea')">Buy tea</button>
<p role="status" id="say">nothing</p><script>
async function buy(item) {
  const answer = await fetch('/orders', {method: 'POST', body: item});
  say.textContent = await answer.text();
}
</script>"""

store = sqlite3.connect(":memory:", check_same_thread=False)
store.execute("CREATE TABLE orders (item TEXT)")


def query(statement, *values):
    return store.execute(statement, values).fetchone()


def place_order(item):
    query("INSERT INTO orders VALUES (?)", item)
    (count,) = query("SELECT count(*) FROM orders WHERE item = ?", item)
    return f"{count} of {item} ordered"


class Shop(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        head = f"HTTP/1.0 {status} OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    def do_GET(self):
        self.answer(200 if self.path == "/" else 404, PAGE)

    def do_POST(self):
        item = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(200, place_order(item).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
address = f"http://127.0.0.1:{server.server_port}/"
print("serving", address, flush=True)
subprocess.Popen([os.environ["BROWSER"], *sys.argv[1:], address])
server.serve_forever()
