import type { RingSink, RingThread } from './ringSink.ts';

/** Hands on what is no event, as it is. */
export abstract class PassingSink implements RingSink {
  protected readonly to: RingSink;

  constructor(to: RingSink) {
    this.to = to;
  }

  abstract events(...all: Parameters<RingSink['events']>): void;

  abstract threadEnded(...all: Parameters<RingSink['threadEnded']>): void;

  overwritten(thread: RingThread, count: number): void {
    this.to.overwritten(thread, count);
  }

  torn(thread: RingThread, count: number): void {
    this.to.torn(thread, count);
  }

  counted(...all: Parameters<RingSink['counted']>): void {
    this.to.counted(...all);
  }

  defined(...all: Parameters<RingSink['defined']>): void {
    this.to.defined(...all);
  }

  definitionsUnread(count: number): void {
    this.to.definitionsUnread(count);
  }

  undefinedFunction(thread: RingThread, count: number): void {
    this.to.undefinedFunction(thread, count);
  }

  partRead(bytes: number): void {
    this.to.partRead(bytes);
  }
}
