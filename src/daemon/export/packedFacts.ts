import { z } from 'zod';
import { errors, StrobeError, type ErrorCode } from '../../model/errors.ts';
import { sessionId } from '../../model/ids.ts';
import type { SessionView } from '../../model/session.ts';

/** Beyond it a list or a text of a pack is not one of ours. */
const MOST = 10_000;
const text = z.string().max(100_000);
const texts = z.array(text).max(MOST);
const count = z.number();
/** Milliseconds since 1970 that are a date. */
const date = z.number().min(0).max(8.64e15);
const exit = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exited'), code: count }),
  z.object({ kind: z.literal('signalled'), signal: text, number: count, coreDumped: z.boolean() }),
  z.object({ kind: z.literal('unknown') }),
]);
const code = z.custom<ErrorCode>((one) => typeof one === 'string' && Object.hasOwn(errors, one));
const trouble = { code, message: text, hint: text };

const state = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('starting'), doing: text }),
  z.object({ kind: z.literal('running') }),
  z.object({
    kind: z.literal('ended'),
    exit,
    at: count,
    by: z.enum(['itself', 'stop', 'clientExit', 'daemonStop']),
  }),
  z.object({ kind: z.literal('released'), at: count }),
  z.object({ kind: z.literal('failed'), ...trouble, at: count }),
]);

const process = z.object({
  pid: count,
  parent: count.nullable(),
  command: texts,
  startedAt: count,
  alike: count,
  programs: count,
  ended: z.object({ exit: exit.nullable(), at: count }).nullable(),
  tracing: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('traced'), hooked: count }),
    z.object({ kind: z.literal('untraced'), reason: text.nullable() }),
  ]),
});

/** A session as its home knew it; the members of model/session `SessionView`, without its owner. */
const view = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/)
    .transform(sessionId),
  command: texts.min(1),
  cwd: text,
  projectRoot: text.startsWith('/'),
  state,
  now: count,
  startedAtMs: date,
  pid: count.nullable(),
  runtime: text,
  tracing: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('off'), reason: z.literal('no patterns were given') }),
    z.object({ kind: z.literal('armed') }),
    z.object({ kind: z.literal('unavailable'), ...trouble }),
  ]),
  hooks: z.object({
    patterns: texts,
    matched: count,
    hooked: count,
    inlined: count,
    refused: count,
    waiting: count,
    leftOut: count.default(0),
  }),
  processes: z.object({
    running: count,
    ended: count,
    failed: count,
    followed: z.object({ programs: count, waitedNs: count }).optional(),
    shown: z.array(process).max(MOST),
  }),
  onClientExit: z.enum(['stop', 'detach', 'keep']),
  stdin: z.enum(['open', 'closed', 'terminal']),
  attached: z.literal(true).exactOptional(),
  notes: texts,
});

const facts = z.object({
  version: z.literal(1),
  strobe: text,
  host: text,
  packedAtMs: date,
  monotonicStartNs: z.string().regex(/^\d{1,19}$/),
  view,
});

/** What a pack says of its session. */
export interface PackedFacts {
  readonly version: 1;
  readonly strobe: string;
  readonly host: string;
  readonly packedAtMs: number;
  readonly monotonicStartNs: string;
  readonly view: Omit<SessionView, 'owner'>;
}

/** Throws STORE_FAILED for a text that we did not write. */
export function readPackedFacts(json: string): PackedFacts {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = null;
  }
  const read = facts.safeParse(value);
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') ?? '';
  throw new StrobeError(
    'STORE_FAILED',
    `The pack does not say what session it holds${where === '' ? '' : ` (${where})`}.`,
    'It may come from another version of Strobe: pack it again with this one.',
  );
}
