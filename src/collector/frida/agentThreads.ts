import { mappingOf, type Mapping } from '../../model/endings/snapshot.ts';

/** Frida's agent as it is mapped. Its threads bear the name of the program. */
const agentFile = /\/(?:memfd:)?frida-agent[^/]*$/;
/** Libraries in which threads of either kind wait, and the engine, which both call. */
const sharedFile = /\/(?:(?:libc|libpthread|ld|libc\.musl)[-.][^/]*|engine\.so)$/;
const wordsLooked = 2048;

/**
 * Whether a thread is the instrumentation's own: the newest code on its stack, but for what it shares with the
 * program, is the agent's. `stack`: from its stack pointer on.
 */
export function runsAgent(stack: Uint8Array, mappings: readonly Mapping[]): boolean {
  const code = mappings.filter(
    ({ protection, path }) =>
      protection.includes('x') && path.startsWith('/') && !sharedFile.test(path),
  );
  if (!code.some(({ path }) => agentFile.test(path))) return false;
  const least = code.reduce((low, { start }) => (start < low ? start : low), 1n << 64n);
  const view = new DataView(stack.buffer, stack.byteOffset, stack.byteLength);
  const words = Math.min(wordsLooked, stack.byteLength >> 3);
  for (let i = 0; i < words; i++) {
    const word = view.getBigUint64(i * 8, true);
    const row = word < least ? null : mappingOf(code, word);
    if (row !== null) return agentFile.test(row.path);
  }
  return false;
}
