/** Reads the records of native/serial and native/midi: a line "KIND TIME COUNT", TIME of CLOCK_MONOTONIC in ns, and COUNT bytes each. */
export class DeviceRecords {
  readonly #take: (kind: string, atNs: number, bytes: Buffer) => void;
  #unread = Buffer.alloc(0);

  constructor(take: (kind: string, atNs: number, bytes: Buffer) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const end = this.#unread.indexOf('\n');
      if (end < 0) return;
      const [kind = '', time, count] = this.#unread.toString('latin1', 0, end).split(' ');
      const whole = end + 1 + Number(count);
      if (this.#unread.length < whole) return;
      const bytes = this.#unread.subarray(end + 1, whole);
      this.#unread = this.#unread.subarray(whole);
      this.#take(kind, Number(time), bytes);
    }
  }
}
