import { hexadecimal } from '../../model/decoding/scalars.ts';
import type { PlaceValue } from '../../model/debug/evaluated.ts';
import { StrobeError } from '../../model/errors.ts';
import type { DebugMemoryInput } from '../../protocol/tools/debugMemory.ts';
import { renderMemory, type MemoryResult } from '../report/session/memoryAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import { placeValue, setPlace, type FrameAt } from '../stops/placeValues.ts';
import type { SessionStops } from '../stops/sessionStops.ts';

type Step = DebugMemoryInput['do'][number];

/** debug_memory: reads and sets the memory of a program whose thread stands still. */
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
    for (const step of input.do)
      results.push(await done(step, stops, { stop: id, frame: input.frame }));
    return renderMemory({ view: session.view(client), stop: id, results }, answerBudget);
  };
}

async function done(step: Step, stops: SessionStops, at: FrameAt): Promise<MemoryResult> {
  const place = 'read' in step ? step.read : step.write;
  try {
    if ('write' in step)
      return { kind: 'written', place, ...(await setPlace(stops, at, place, step.value)) };
    const found = await placeValue(stops, at, place, step.count);
    if (step.bytes === undefined) return { kind: 'value', place, found };
    const address = addressOf(found);
    if (address === null) throw new StrobeError('BAD_EXPRESSION', 'It has no address.');
    const bytes = stops.bytes(at.stop, address, step.bytes);
    return { kind: 'bytes', place, address: hexadecimal(address), bytes };
  } catch (error) {
    if (!(error instanceof StrobeError) || error.code !== 'BAD_EXPRESSION') throw error;
    return { kind: 'refused', place, why: error.message };
  }
}

/** Of what has no place of its own the address that it is. */
function addressOf({ place, value }: PlaceValue): bigint | null {
  if (place?.kind === 'memory') return place.address;
  if (value.kind === 'pointer') return BigInt(value.address);
  return value.kind === 'int' ? BigInt(value.text) : null;
}
