import type { PlaceValue } from '../../model/debug/evaluated.ts';
import { StrobeError } from '../../model/errors.ts';
import { scalarBits } from '../../model/values/scalarBits.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import type { SessionStops } from './sessionStops.ts';

/** A frame of a stop. */
export interface FrameAt {
  readonly stop: string;
  readonly frame: number;
}

/** What an expression is there. Throws BAD_EXPRESSION for what has no value, STALE_STOP, NOT_STOPPED. */
export async function placeValue(
  stops: SessionStops,
  { stop, frame }: FrameAt,
  text: string,
  elements: number,
): Promise<PlaceValue> {
  const found = await stops.evaluate(stop, { frame, expression: parseExpression(text), elements });
  if (found.why === undefined) return found;
  throw new StrobeError('BAD_EXPRESSION', `${found.why}.`);
}

/** Sets what an expression names. Answers its value before and after; throws as `placeValue`. */
export async function setPlace(
  stops: SessionStops,
  at: FrameAt,
  text: string,
  wanted: string | number | boolean,
): Promise<{ readonly was: PlaceValue; readonly is: PlaceValue }> {
  const was = await placeValue(stops, at, text, 1);
  const { place, scalar, bytes } = was;
  if (scalar === null || place === null)
    throw new StrobeError('BAD_EXPRESSION', 'It is no number, character, enumerator or pointer.');
  if (place.kind === 'register')
    throw new StrobeError('BAD_EXPRESSION', 'The compiler keeps it in a register here.');
  const bits = scalarBits(scalar, wanted);
  if (typeof bits !== 'bigint') throw new StrobeError('BAD_EXPRESSION', `${bits.why}.`);
  await stops.write(at.stop, { name: text, address: place.address, bytes, bits, scalar });
  return { was, is: await placeValue(stops, at, text, 1) };
}
