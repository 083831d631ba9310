import { hexadecimal } from '../../model/decoding/scalars.ts';
import type { PlaceValue } from '../../model/debug/evaluated.ts';
import type { MemoryRegion } from '../../model/debug/memorySearch.ts';
import { StrobeError } from '../../model/errors.ts';
import type { DebugMemoryInput } from '../../protocol/tools/debugMemory.ts';
import { renderMemory, type MemoryResult } from '../report/session/memoryAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import { bitsAt, placeValue, setPlace, type FrameAt } from '../stops/placeValues.ts';
import { pollMemory } from '../stops/pollMemory.ts';
import { searchMemory } from '../stops/searchMemory.ts';
import type { StopMemory } from '../stops/stopMemory.ts';
import { soughtBytes } from './soughtBytes.ts';

type Step = DebugMemoryInput['do'][number];
type Search = Extract<Step, { search: unknown }>;
type Poll = Extract<Step, { poll: unknown }>;

/** Where and for whom. */
interface Scene {
  readonly memory: StopMemory;
  readonly at: FrameAt;
  readonly signal: AbortSignal;
}

/** What may be large comes last. */
const searchOrder: readonly MemoryRegion['kind'][] = ['globals', 'heap', 'stack', 'anonymous'];
/** What all polls of a request may take together. */
const pollsLimitMs = 50_000;

/** debug_memory: reads, sets, searches and polls the memory of a program, also while it runs. */
export function makeDebugMemory(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugMemoryInput> {
  return async (input, { client, signal }) => {
    const session = sessions.resolveLive(input.sessionId, client);
    const isWriting = input.do.some((step) => 'write' in step || 'evaluate' in step);
    if (isWriting) sessions.requireOwner(session, client, input.takeOver);
    const groups = groupsOf(input.do);
    const pollMs = groups.reduce((sum, group) => sum + Math.max(...group.map(msOf)), 0);
    if (pollMs > pollsLimitMs)
      throw new StrobeError(
        'BAD_PARAMETER',
        `These polls take ${pollMs} ms, and one call may take ${pollsLimitMs}.`,
        'Put polls behind one another: they run at the same time.',
      );
    const { stops } = session.tracing;
    const stop = stops.meantOrRunning(input.stop)?.id ?? null;
    const scene = { memory: stops.memory, at: { stop, frame: input.frame }, signal };
    const results: MemoryResult[] = [];
    for (const group of groups)
      results.push(...(await Promise.all(group.map(async (step) => done(step, scene)))));
    return renderMemory({ view: session.view(client), stop, results }, answerBudget);
  };
}

/** Polls behind one another are one group, which run at the same time; each other step is its own. */
function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && 'poll' in step && 'poll' in (last[0] ?? step)) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function msOf(step: Step): number {
  return 'poll' in step ? step.forMs : 0;
}

async function done(step: Step, scene: Scene): Promise<MemoryResult> {
  try {
    if ('evaluate' in step) {
      const ran = await scene.memory.run(scene.at.stop, scene.at.frame, step.evaluate);
      return { kind: 'ran', place: step.evaluate, ran };
    }
    if ('write' in step) {
      const set = await setPlace(scene.memory, scene.at, step.write, step.value);
      return { kind: 'written', place: step.write, ...set };
    }
    if ('search' in step) return await searched(step, scene);
    if ('poll' in step) return await polled(step, scene);
    const { memory, at } = scene;
    const found = await placeValue(memory, at, step.read, step.count);
    if (step.bytes === undefined) return { kind: 'value', place: step.read, found };
    const address = addressOf(found);
    const bytes = memory.bytes(at.stop, address, step.bytes);
    if (bytes.length === 0)
      throw new StrobeError(
        'BAD_EXPRESSION',
        `No memory of the program is at ${hexadecimal(address)}.`,
      );
    return { kind: 'bytes', place: step.read, address: hexadecimal(address), bytes };
  } catch (error) {
    if (!(error instanceof StrobeError) || error.code !== 'BAD_EXPRESSION') throw error;
    return { kind: 'refused', place: nameOf(step), why: error.message };
  }
}

async function searched(step: Search, scene: Scene): Promise<MemoryResult> {
  const sought = soughtBytes(step.search, step.type);
  const regions = await regionsOf(step, scene);
  const finds = await searchMemory(scene.memory.running(), regions, sought, scene.signal);
  return { kind: 'found', place: nameOf(step), finds };
}

/** Memory of the program that a word names, or the bytes from a place on. */
async function regionsOf(step: Search, { memory, at }: Scene): Promise<MemoryRegion[]> {
  const all = memory.running().regions();
  switch (step.in) {
    case 'all':
      return all.toSorted((a, b) => searchOrder.indexOf(a.kind) - searchOrder.indexOf(b.kind));
    case 'globals':
    case 'stack':
      return all.filter(({ kind }) => kind === step.in);
    case 'heap':
      return all.filter(({ kind }) => kind === 'heap' || kind === 'anonymous');
    default: {
      const found = await placeValue(memory, at, step.in, 1);
      const start = addressOf(found);
      const length = step.bytes ?? (found.place?.kind === 'memory' ? found.bytes : 0);
      if (length === 0)
        throw new StrobeError('BAD_EXPRESSION', 'How much is to be searched? Add "bytes".');
      const region = all.find((one) => start >= one.start && start < one.end);
      const { kind, file } = region ?? { kind: 'anonymous' as const, file: null };
      return [{ start, end: start + BigInt(length), kind, file }];
    }
  }
}

async function polled({ poll, ...rate }: Poll, scene: Scene): Promise<MemoryResult> {
  const { memory, at } = scene;
  const { place, scalar, bytes } = await placeValue(memory, at, poll, 1);
  if (place?.kind !== 'memory' || scalar === null)
    throw new StrobeError(
      'BAD_EXPRESSION',
      'It is no number, character, enumerator or pointer in memory.',
    );
  const { address } = place;
  // A thread that runs on meanwhile ends nothing: the place stays.
  const bits = (): bigint | null => bitsAt(memory.running(), { address, bytes });
  return { kind: 'polled', place: poll, seen: await pollMemory(scalar, bits, rate, scene.signal) };
}

/** Of what has no place of its own the address that it is. Throws BAD_EXPRESSION. */
function addressOf({ place, value }: PlaceValue): bigint {
  if (place?.kind === 'memory') return place.address;
  if (value.kind === 'pointer') return BigInt(value.address);
  if (value.kind === 'int') return BigInt(value.text);
  throw new StrobeError('BAD_EXPRESSION', 'It has no address.');
}

function nameOf(step: Step): string {
  if ('read' in step) return step.read;
  if ('write' in step) return step.write;
  if ('evaluate' in step) return step.evaluate;
  return 'poll' in step ? step.poll : JSON.stringify(step.search);
}
