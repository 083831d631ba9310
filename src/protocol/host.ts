import { z } from 'zod';

/**
 * What passes between the daemon and a host process (sidecar.py), over its stdin and stdout, both ways the same:
 *
 *   u32 length · u32 head length · head (JSON) · data (the rest, may be empty)
 *
 * Numbers are little-endian. A request carries `id`; its answer repeats it. Sessions and scripts
 * are numbered by the host. The host ends when its stdin ends.
 */
export const hostWire = {
  version: 1,
  maxFrameBytes: 256 << 20,
} as const;

const id = z.int();
const pid = z.int();

/**
 * Daemon → host. `data` of load: the agent's source in UTF-8; of call and post: goes to the agent
 * as it is.
 */
export const hostRequest = z.discriminatedUnion('op', [
  /** `thread`: of a process that runs, the one to be stopped for a moment; without it the process is at its exec. */
  z.strictObject({ id, op: z.literal('attach'), pid, thread: z.int().exactOptional() }),
  z.strictObject({ id, op: z.literal('load'), session: z.int() }),
  z.strictObject({
    id,
    op: z.literal('call'),
    script: z.int(),
    method: z.string(),
    args: z.array(z.unknown()),
  }),
  z.strictObject({ id, op: z.literal('post'), script: z.int(), message: z.unknown() }),
  z.strictObject({ id, op: z.literal('detach'), session: z.int() }),
  z.strictObject({ id, op: z.literal('resume'), pid }),
]);

/** A request with its number. */
export type NumberedRequest = z.output<typeof hostRequest>;

/** A request before it has its number. */
export type HostRequest = WithoutId<NumberedRequest>;

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never;

/** What the host says went wrong; `codes` are rows of the error table. */
export const hostErrorCode = z.enum([
  'PTRACE_DENIED',
  'ALREADY_OBSERVED',
  'INSTRUMENTATION_FAILED',
  'SESSION_ENDED',
  'INTERNAL',
]);

/** Host → daemon. */
export const hostMessage = z.union([
  /** First; `frida` is its version. */
  z.strictObject({ event: z.literal('ready'), version: z.int(), frida: z.string() }),
  /** First and last: Frida itself cannot be used. */
  z.strictObject({ event: z.literal('unusable'), reason: z.string() }),
  z.strictObject({ id: z.int(), ok: z.unknown() }),
  z.strictObject({
    id: z.int(),
    error: z.strictObject({ code: hostErrorCode, message: z.string() }),
  }),
  /** What the agent sent; its data is the frame's. */
  z.strictObject({
    event: z.literal('message'),
    session: z.int(),
    script: z.int(),
    payload: z.unknown(),
  }),
  /** An exception nobody caught, or a line the agent wrote to its console. */
  z.strictObject({
    event: z.literal('log'),
    session: z.int(),
    script: z.int(),
    level: z.enum(['debug', 'warn']),
    text: z.string(),
  }),
  z.strictObject({ event: z.literal('detached'), session: z.int(), reason: z.string() }),
]);

export type HostMessage = z.output<typeof hostMessage>;
