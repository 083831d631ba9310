import { member, type ToolResult } from './toolCaller.ts';

/** Asks a tool and shows request and answer; throws when the answer is an error. */
export type Ask = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** Says what comes next and why. */
export type Tell = (title: string) => void;

/** What the story found: the line of an answer that shows the cause, or why there is none. */
export type Verdict =
  | { readonly found: true; readonly line: string; readonly contrast: string }
  | { readonly found: false; readonly reason: string };

/** How the bug of one of the programs in demo/ is found. */
export interface Story {
  readonly find: (ask: Ask, tell: Tell) => Promise<Verdict>;
  /** What the lines of the verdict mean. */
  readonly cause: string;
}

/** With what the programs begin a line when they notice that something is wrong. */
export const complaint = 'AUDIT';
const complaintLimitMs = 15_000;

/** The request that waits for the next complaint after that of `before`. */
export function waitForComplaint(before?: ToolResult): Record<string, unknown> {
  const cursor = member(before?.structured, 'cursor');
  return {
    action: 'wait',
    for: ['output'],
    match: complaint,
    timeoutMs: complaintLimitMs,
    ...(typeof cursor === 'string' ? { after: cursor } : {}),
  };
}

/** The first line of an answer that fits. */
export function lineWith(text: string, wanted: RegExp): string | null {
  return (
    text
      .split('\n')
      .find((line) => wanted.test(line))
      ?.trim() ?? null
  );
}

/**
 * The line of the first call of a function for which `wanted` fits its arguments, or those that all calls of the answer
 * share, which are then written behind it. `told`: what must be read there, too.
 */
export function callWith(
  text: string,
  name: string,
  wanted: RegExp,
  told: RegExp = wanted,
): string | null {
  const call = new RegExp(`\\b${name}\\(`);
  const own = lineWith(text, new RegExp(`${call.source}.*${wanted.source}`));
  if (own !== null && told.test(own)) return own;
  const shared = lineWith(text, new RegExp(`^\\s*the same in all calls: .*${told.source}`));
  const line = own ?? lineWith(text, call);
  return shared === null || line === null ? null : `${line}  (${shared})`;
}
