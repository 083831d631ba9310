/* Stops of the product at random lines of a program. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../../bench/support/record.mjs';

/** Which arrivals at a line stop. */
export const arrivals = [1, 2, 3, 5];
const linesAtOnce = 8;
/** Frames whose variables are read. */
const deepest = 8;

/** Lines that may have code, in random order. */
function someLines(source, random) {
  const lines = readFileSync(join(root, source), 'utf8').split('\n');
  return lines
    .map((text, i) => ({ text: text.trim(), line: i + 1, key: random() }))
    .filter(({ text }) => text.length > 2 && !/^(\/\/|\/\*|"""|#|namespace|using|use )/.test(text))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, linesAtOnce)
    .map(({ line }) => line);
}

/**
 * Each stop in one run: which arrival it is, its thread, its frames with variables, and what `more` adds
 * to it while the thread stands.
 */
export async function ourStops(
  product,
  { command, args, source, random, most },
  more = () => ({}),
) {
  const { sessionId, pid, breakpoints } = await product.call('debug_launch', {
    command,
    args,
    projectRoot: root,
    cwd: product.home.project,
    breakpoints: someLines(source, random).flatMap((line) =>
      arrivals.map((at) => ({ file: basename(source), line, at })),
    ),
  });
  const ids = new Map(breakpoints.map((one, i) => [one.id, arrivals[i % arrivals.length]]));
  const stops = [];
  while (stops.length < most) {
    const { state, stops: seen } = await product.call('debug_continue', {
      sessionId,
      action: 'wait',
      timeoutMs: 30_000,
    });
    if (state === 'ended' || (seen.length === 0 && state === 'running')) break;
    for (const stop of seen) {
      const { frames, omitted } = await framesOf(product, sessionId, stop.id);
      stops.push({
        arrival: ids.get(stop.breakpoints?.[0]),
        isMain: stop.thread === pid,
        frames,
        omitted,
        ...more(pid, frames),
      });
    }
    await product.call('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
  }
  await product.call('debug_session', { action: 'stop', sessionId }).catch(() => undefined);
  return stops;
}

async function framesOf(product, sessionId, stop) {
  const look = async (asked) => product.call('debug_inspect', { sessionId, stop, ...asked });
  const { frames, omitted } = await look({ view: 'stack' });
  const told = [];
  for (const [i, frame] of frames.entries())
    told.push(i < deepest ? (await look({ view: 'locals', frame: i })).frame : frame);
  return { frames: told, omitted };
}
