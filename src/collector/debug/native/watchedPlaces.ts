import { basename } from 'node:path';
import { decodeScalar } from '../../../model/decoding/scalars.ts';
import type { Touched } from '../../../model/debug/stop.ts';
import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import type { WatchedPlace, ProbeWhere } from '../../../model/probes/probe.ts';
import { parseExpression } from '../../../model/watches/expression.ts';
import type { NativeCode } from '../../native/nativeParts.ts';
import type { TracedSession } from '../../tracer.ts';
import { processSnapshot } from './heldThread.ts';
import type { ProcessMaps } from './processMaps.ts';
import type { TouchedPlace } from './stopper.ts';

type WhereTouched = Extract<ProbeWhere, { kind: 'data' }>;

/** Names of its condition are of globals alone: it has no place in code. */
export const anyCode: FoundStatement = {
  module: '',
  address: 0,
  offset: 0,
  file: null,
  line: null,
  text: null,
  functionName: '',
  holder: '',
  before: 0,
  size: 0,
  otherParts: [],
  isInlined: false,
  rowsBehind: 0,
  hasLandingPads: false,
  isOfGo: false,
  parameters: [],
  variables: [],
  inScope: [],
  argumentNames: [],
  resultNames: [],
};

/** Where data lies, or why a debug register cannot watch it: a whole sentence. */
export async function watchedPlace(
  code: NativeCode,
  session: TracedSession,
  at: { readonly pid: number; readonly maps: ProcessMaps },
  where: WhereTouched,
): Promise<WatchedPlace | { readonly why: string }> {
  const request = { frame: 0, expression: parseExpression(where.expression), elements: 1 };
  const found = where.at
    ? null
    : await code.evaluate(processSnapshot(at.pid, at.maps), session, request);
  if (found?.why !== undefined) return { why: `${found.why}.${inSource(session.image)}` };
  if (found && (found.place?.kind !== 'memory' || found.scalar === null))
    return { why: 'It is no number, character, enumerator or pointer in memory.' };
  const place =
    where.at ??
    (found?.place?.kind === 'memory' && found.scalar
      ? {
          address: `0x${found.place.address.toString(16)}`,
          bytes: found.bytes,
          scalar: found.scalar,
        }
      : null);
  if (place === null) return { why: 'It has no place.' };
  const { bytes, address } = place;
  if (![1, 2, 4, 8].includes(bytes) || BigInt(address) % BigInt(bytes) !== 0n)
    return {
      why: `A debug register watches 1, 2, 4 or 8 bytes at a multiple of them, and this is ${bytes} at ${address}.`,
    };
  return place;
}

/** What serves instead where a variable of a source language may be meant. */
function inSource(image: string): string {
  if (!/^(?:python[\d.]*|node|deno)$/.test(basename(image))) return '';
  return ' Variables of Python and JavaScript have no address that a processor watches: stop at a line with "condition", or record changes with "watches" of debug_trace.';
}

export function touchOf(
  { expression }: WhereTouched,
  { scalar }: WatchedPlace,
  { old, now }: TouchedPlace,
): Touched {
  const value = (bits: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(bits);
    return decodeScalar(scalar, bytes, 0);
  };
  return { expression, old: value(old), now: value(now) };
}
