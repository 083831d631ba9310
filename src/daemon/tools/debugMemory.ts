import { hexadecimal } from '../../model/decoding/scalars.ts';
import type { Evaluated } from '../../model/debug/evaluated.ts';
import { StrobeError } from '../../model/errors.ts';
import { scalarBits } from '../../model/values/scalarBits.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import type { DebugMemoryInput } from '../../protocol/tools/debugMemory.ts';
import { renderMemory, type MemoryResult } from '../report/session/memoryAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SessionStops } from '../stops/sessionStops.ts';

type Step = DebugMemoryInput['do'][number];

/** debug_memory: what lies in the memory of a program whose thread stands still. */
export function makeDebugMemory(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugMemoryInput> {
  return async (input, { client }) => {
    const session = sessions.resolveLive(input.sessionId, client);
    const isWriting = input.do.some((step) => 'write' in step);
    if (isWriting) sessions.requireOwner(session, client, input.takeOver);
    const { stops } = session.tracing;
    const { id } = stops.meant(input.stop);
    const results: MemoryResult[] = [];
    for (const step of input.do) results.push(await done(step, stops, { id, frame: input.frame }));
    return renderMemory({ view: session.view(client), stop: id, results }, answerBudget);
  };
}

interface Where {
  readonly id: string;
  readonly frame: number;
}

async function done(step: Step, stops: SessionStops, where: Where): Promise<MemoryResult> {
  const place = 'read' in step ? step.read : step.write;
  try {
    const elements = 'read' in step ? step.count : 1;
    const found = await valueOf(place, elements, stops, where);
    if ('write' in step) return await written(step, found, stops, where);
    if (step.bytes === undefined) return { kind: 'value', place, found };
    const address = addressOf(found);
    if (address === null) throw new StrobeError('BAD_EXPRESSION', 'It has no address.');
    const bytes = stops.bytes(where.id, address, step.bytes);
    return { kind: 'bytes', place, address: hexadecimal(address), bytes };
  } catch (error) {
    if (!(error instanceof StrobeError) || error.code !== 'BAD_EXPRESSION') throw error;
    return { kind: 'refused', place, why: error.message };
  }
}

type Found = Extract<Evaluated, { readonly why?: undefined }>;

async function valueOf(
  place: string,
  elements: number,
  stops: SessionStops,
  { id, frame }: Where,
): Promise<Found> {
  const found = await stops.evaluate(id, { frame, expression: parseExpression(place), elements });
  if (found.why !== undefined) throw new StrobeError('BAD_EXPRESSION', `${found.why}.`);
  return found;
}

/** Of what has no place of its own the address that it is. */
function addressOf({ place, value }: Found): bigint | null {
  if (place?.kind === 'memory') return place.address;
  if (value.kind === 'pointer') return BigInt(value.address);
  return value.kind === 'int' ? BigInt(value.text) : null;
}

async function written(
  { write, value }: Extract<Step, { readonly write: string }>,
  found: Found,
  stops: SessionStops,
  where: Where,
): Promise<MemoryResult> {
  const { place, scalar, bytes } = found;
  if (scalar === null || place === null)
    throw new StrobeError('BAD_EXPRESSION', 'It is no number, character, enumerator or pointer.');
  if (place.kind === 'register')
    throw new StrobeError('BAD_EXPRESSION', 'The compiler keeps it in a register here.');
  const bits = scalarBits(scalar, value);
  if (typeof bits !== 'bigint') throw new StrobeError('BAD_EXPRESSION', `${bits.why}.`);
  await stops.write(where.id, { name: write, address: place.address, bytes, bits, scalar });
  const is = await valueOf(write, 1, stops, where);
  return { kind: 'written', place: write, was: found, is };
}
