/*
 * MCP over HTTP on the loopback in front of one `strobe mcp`, for a suite that drives servers over HTTP.
 *
 * All HTTP requests share one connection to the server: each gets an id of its own there, and notifications
 * find their request by its progress token or subscription. The HTTP status of a refusal is the bridge's.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
const modernFrom = '2026';
const methodNotFound = -32601;

export class HttpBridge {
  #child;
  #server = createServer((request, response) => void this.#receive(request, response));
  #open = new Map();
  #number = 0;
  url = '';

  /** `home`: as openHome makes it. */
  static async start(home, client) {
    const bridge = new HttpBridge();
    bridge.#child = spawn(process.execPath, [client, 'mcp'], {
      env: home.env,
      cwd: home.project,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: bridge.#child.stdout }).on('line', (line) =>
      bridge.#fromServer(JSON.parse(line)),
    );
    await new Promise((resolve) => bridge.#server.listen(0, '127.0.0.1', resolve));
    bridge.url = `http://127.0.0.1:${bridge.#server.address().port}/mcp`;
    return bridge;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }

  async #receive(request, response) {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const parts = [];
    for await (const part of request) parts.push(part);
    const message = JSON.parse(Buffer.concat(parts).toString());
    if (message.id === undefined) {
      this.#send(message);
      response.writeHead(202).end();
      return;
    }
    const id = `http-${(this.#number += 1)}`;
    const revision = request.headers['mcp-protocol-version'] ?? '';
    this.#open.set(id, { message, response, isModern: revision >= modernFrom });
    response.on('close', () => {
      if (!this.#open.delete(id)) return;
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    });
    this.#send({ ...message, id, params: withToken(message.params, id) });
  }

  #fromServer(message) {
    const { id, method, params } = message;
    const of =
      method === undefined ? id : (params?.progressToken ?? params?._meta?.[subscriptionKey]);
    const asked = this.#open.get(of);
    if (!asked) return;
    if (method !== undefined) {
      writeEvent(asked.response, { ...message, params: asOf(params, asked.message) });
      return;
    }
    this.#open.delete(of);
    const answer = { ...message, id: asked.message.id };
    if (asked.response.headersSent) {
      writeEvent(asked.response, answer);
      asked.response.end();
      return;
    }
    asked.response.writeHead(statusOf(answer, asked.isModern), {
      'content-type': 'application/json',
    });
    asked.response.end(JSON.stringify(answer));
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** The request's progress token is its id on the connection. */
function withToken(params, id) {
  if (params?._meta?.progressToken === undefined) return params;
  return { ...params, _meta: { ...params._meta, progressToken: id } };
}

/** Parameters of a notification as the HTTP client of this request knows its token and id. */
function asOf(params, { id, params: asked }) {
  const own = { ...params };
  if (own.progressToken !== undefined) own.progressToken = asked._meta.progressToken;
  if (own._meta?.[subscriptionKey] !== undefined)
    own._meta = { ...own._meta, [subscriptionKey]: id };
  return own;
}

function writeEvent(response, message) {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** The revision of 2026, whose clients name it in a header too, gives refused requests a status; those of 2025 answer 200. */
function statusOf({ error }, isModern) {
  if (error === undefined || !isModern) return 200;
  return error.code === methodNotFound ? 404 : 400;
}
