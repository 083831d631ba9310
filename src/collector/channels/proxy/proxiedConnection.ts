import type { Socket } from 'node:net';
import type { MeantFault } from './fault.ts';

interface Owner {
  /** The server says something after its client did: what is to be done to it. */
  answerBegins(): readonly MeantFault[];
  ended(): void;
}

/** One connection through a proxy. An answer is what the server says until the client speaks again. */
export class ProxiedConnection {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #owner: Owner;
  #isAnswering = false;
  #faults: readonly MeantFault[] = [];
  /** Bytes of this answer that were passed on. */
  #passed = 0;
  /** What holds the answer back. */
  #held: NodeJS.Timeout | null = null;
  #waiting: Buffer[] = [];
  #farEnded = false;

  constructor(near: Socket, far: Socket, owner: Owner) {
    [this.#near, this.#far, this.#owner] = [near, far, owner];
    near.on('data', (part) => this.#asked(Buffer.from(part)));
    far.on('data', (part) => this.#answered(Buffer.from(part)));
    near.on('end', () => far.end());
    far.on('end', () => this.#ends());
    near.on('drain', () => far.resume());
    far.on('drain', () => near.resume());
    for (const socket of [near, far]) {
      socket.on('error', () => this.#reset());
      socket.on('close', () => this.#closed());
    }
  }

  end(): void {
    if (this.#held) clearTimeout(this.#held);
    this.#near.destroy();
    this.#far.destroy();
  }

  #asked(part: Buffer): void {
    this.#isAnswering = false;
    if (!this.#far.write(part)) this.#near.pause();
  }

  #answered(part: Buffer): void {
    if (!this.#isAnswering) {
      this.#isAnswering = true;
      this.#passed = 0;
      this.#faults = this.#owner.answerBegins();
      for (const { fault } of this.#faults) if (fault.kind === 'delay') this.#hold(fault.ms);
    }
    if (this.#held) this.#waiting.push(part);
    else this.#give(part);
  }

  #hold(ms: number): void {
    this.#far.pause();
    this.#held = setTimeout(() => {
      this.#held = null;
      for (const part of this.#waiting.splice(0)) this.#give(part);
      this.#far.resume();
      if (this.#farEnded) this.#near.end();
    }, ms);
  }

  #give(part: Buffer): void {
    if (!this.#near.writable) return;
    let bytes = part;
    for (const { fault, done } of this.#faults) {
      if (fault.kind === 'reset') {
        this.#reset();
        return;
      }
      if (fault.kind === 'rewrite')
        done.replaced = (done.replaced ?? 0) + rewrite(bytes, fault.from, fault.to);
      if (fault.kind === 'cut') bytes = bytes.subarray(0, Math.max(0, fault.bytes - this.#passed));
    }
    this.#passed += part.length;
    if (!this.#near.write(bytes)) this.#far.pause();
    const isCut = this.#faults.some(
      ({ fault }) => fault.kind === 'cut' && fault.bytes <= this.#passed,
    );
    if (!isCut) return;
    this.#near.end();
    this.#far.destroy();
  }

  #ends(): void {
    this.#farEnded = true;
    if (!this.#held) this.#near.end();
  }

  /** As a peer that vanished: RST on both sides. */
  #reset(): void {
    if (this.#held) clearTimeout(this.#held);
    this.#near.resetAndDestroy();
    this.#far.resetAndDestroy();
  }

  #closed(): void {
    if (!this.#near.destroyed || !this.#far.destroyed) return;
    if (this.#held) clearTimeout(this.#held);
    this.#owner.ended();
  }
}

/** In place, each time it occurs in what came at once. Answers how often. */
function rewrite(bytes: Buffer, from: Buffer, to: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + to.length)) {
    to.copy(bytes, at);
    count++;
  }
  return count;
}
