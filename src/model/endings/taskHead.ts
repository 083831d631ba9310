/** A task of an event loop, told from others by where it and its coroutine lie. */
export interface TaskHead {
  readonly address: number;
  readonly coroutine: number;
  readonly name: string;
}
