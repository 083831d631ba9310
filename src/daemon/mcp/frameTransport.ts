import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

/** The SDK's end of a connection whose lines are read and written elsewhere. */
export class FrameTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #write: (message: unknown) => void;
  #closed = false;

  /** `write` sends one message to the client. */
  constructor(write: (message: unknown) => void) {
    this.#write = write;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#closed) this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  /** Hands a parsed line to the SDK; false when it is not a JSON-RPC message. */
  receive(message: unknown): boolean {
    let parsed: JSONRPCMessage;
    try {
      parsed = parseJSONRPCMessage(message);
    } catch {
      return false;
    }
    this.onmessage?.(parsed);
    return true;
  }
}
