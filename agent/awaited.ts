/** So long a library waits for its hooks. */
const MOST_MS = 1000;
const TURN_SECONDS = 0.001;

let libraries: RegExp | null = null;
/** Paths of libraries that wait. */
const waiting = new Set<string>();

/** See protocol/agent.ts. */
export function awaitLibraries(source: string): null {
  libraries = source === '' ? null : new RegExp(source);
  return null;
}

/** See protocol/agent.ts. */
export function libraryPlaced(path: string): null {
  waiting.delete(path);
  return null;
}

/** Whether a library waits: then Frida's list of modules answers no other thread. */
export function isAnyAwaited(): boolean {
  return waiting.size > 0;
}

/** Whether this library is to wait. To be called before the host hears of it. */
export function isAwaited(path: string): boolean {
  if (libraries?.test(path) !== true) return false;
  waiting.add(path);
  return true;
}

/** Holds the thread that loads a library until its hooks are placed; false: that took too long. Other calls are answered meanwhile. */
export function waitUntilPlaced(path: string): boolean {
  const end = Date.now() + MOST_MS;
  while (waiting.has(path) && Date.now() < end) Thread.sleep(TURN_SECONDS);
  return !waiting.delete(path);
}
