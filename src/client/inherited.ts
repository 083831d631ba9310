import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { HelloRequest } from '../protocol/socket.ts';

/**
 * What a program started here would inherit, and Node changes in its own process at its start: the `strobe` script
 * says how it was before.
 */
const variables = {
  /** The mask of ignored signals, hexadecimal, as of proc_pid_status(5): Node sets all back. */
  ignoredSignals: 'STROBE_IGNORED_SIGNALS',
  /** How many files may be open, the soft limit, as of proc_pid_limits(5): Node raises it to the hard one. */
  softFiles: 'STROBE_SOFT_FILES',
  /** Numbers of the descriptors that are open: Node closes others than 0 to 2 in what it starts, and opens those. */
  descriptors: 'STROBE_DESCRIPTORS',
} as const;
const own: ReadonlySet<string> = new Set(Object.values(variables));

/** RLIMIT_NOFILE, in the order of /proc/self/limits, which is that of their numbers. */
const openFiles = 7;

/** Our environment without the variables that only concern ourselves. */
export function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !own.has(name)) env[name] = value;
  return env;
}

/** Bit n-1: signal n is ignored. */
export function ignoredSignals(): number {
  const mask = process.env[variables.ignoredSignals];
  return mask === undefined ? 0 : Number(BigInt(`0x${mask}`) & 0x7fff_ffffn);
}

/** `further`: open ones but 0 to 2. `closed`: bit n: of those, n is not open. */
export function descriptors(): { readonly further: readonly number[]; readonly closed: number } {
  const said = process.env[variables.descriptors];
  if (said === undefined) return { further: [], closed: 0 };
  const open = new Set((said.match(/\d+/g) ?? []).map(Number));
  const closed = [0, 1, 2].filter((number) => !open.has(number));
  return {
    further: [...open].filter((number) => number > 2),
    closed: closed.reduce((bits, number) => bits | (1 << number), 0),
  };
}

type Resources = NonNullable<HelloRequest['resources']>;

export function resources(): Resources {
  return { nice: getPriority(), limits: limits() };
}

function limits(): Resources['limits'] {
  const rows = readFileSync('/proc/self/limits', 'utf8').matchAll(/^Max .{22}(\S+)\s+(\S+)/gm);
  const found = [...rows].map(([, soft = '', hard = '']) => ({
    soft: limitOf(soft),
    hard: limitOf(hard),
  }));
  const files = found[openFiles];
  const soft = process.env[variables.softFiles];
  if (files && soft !== undefined) found[openFiles] = { ...files, soft: limitOf(soft) };
  return found;
}

/** Null: there is none. */
function limitOf(text: string): number | null {
  return text === 'unlimited' ? null : Number(text);
}
