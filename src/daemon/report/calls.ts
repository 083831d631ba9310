import type { CallView } from '../../model/query.ts';
import type { SessionNs } from '../../model/ids.ts';
import { escaped } from './clip.ts';
import { place } from './places.ts';
import { duration } from './times.ts';
import { valueJson, valueText, type ValueStyle } from './values.ts';

/** How calls are written in one answer. */
export interface CallStyle extends ValueStyle {
  readonly shortName: (name: string) => string;
  readonly projectRoot: string;
  /** When the program ended, or null while it may run: an open call never returns after it. */
  readonly endedAt: SessionNs | null;
  /** The end of what is known: open calls have lasted until then. */
  readonly now: SessionNs;
}

/**
 * `Account::withdraw(this=0x55d0, cents=500) = false  12 µs`, without place and id.
 * `varying`: texts `name=first..last` that take the place of those arguments.
 */
export function callText(call: CallView, style: CallStyle, varying: readonly string[] = []): string {
  return `${signatureText(call, style, varying)}${endText(call, style)}${lastedText(call, style)}`;
}

/** `Account::withdraw(this=0x55d0, cents=500)`. */
export function signatureText(call: CallView, style: CallStyle, varying: readonly string[] = []): string {
  return `${escaped(style.shortName(call.function))}(${argumentsText(call, style, varying)})`;
}

function argumentsText(call: CallView, style: CallStyle, varying: readonly string[]): string {
  const replaced = new Map(varying.map((text) => [nameOf(text), text]));
  return call.arguments
    .map(({ name, value }) => {
      const varies = replaced.get(name);
      if (varies === undefined) return `${name}=${valueText(value, style)}`;
      return escaped(varies.includes('=') ? varies : `${name}=*`);
    })
    .join(', ');
}

function nameOf(varying: string): string {
  const end = varying.indexOf('=');
  return end < 0 ? varying : varying.slice(0, end);
}

/** ` = false`, ` ✗ unwound by an exception`, ` … still running`. */
export function endText(call: CallView, style: CallStyle): string {
  switch (call.end) {
    case 'returned': {
      const text = valueText(call.returns, style);
      return text === '' ? '' : ` = ${text}`;
    }
    case 'unwound':
      return ' ✗ unwound';
    case 'jumped':
      return ' ✗ left by longjmp';
    case 'tail':
      return ' → tail call';
    case 'open':
      return style.endedAt === null ? ' … still running' : ' … never returned';
    case 'lost':
      return ' ? its end was lost';
  }
}

function lastedText(call: CallView, style: CallStyle): string {
  if (call.durationNs !== null) return `  ${duration(call.durationNs)}`;
  if (call.end !== 'open') return '';
  return `  ${duration((style.endedAt ?? style.now) - call.time)} so far`;
}

/** The function's file and line, or an empty text. */
export function callPlace(call: CallView, style: CallStyle): string {
  return place(call.file, call.line, style.projectRoot);
}

/** The structured form of a call event; members that say nothing are left out unless `verbose`. */
export function callTwin(call: CallView, style: CallStyle, withThreadName: boolean): Record<string, unknown> {
  const returned = valueJson(call.returns, style);
  return {
    functionName: call.function,
    ...(call.arguments.length > 0 || style.verbose ? { arguments: argumentsTwin(call, style) } : {}),
    ...(call.end === 'returned' && returned !== undefined ? { returnValue: returned } : {}),
    ...(call.end === 'returned' && !style.verbose ? {} : { end: call.end }),
    ...(call.durationNs === null ? {} : { durationNs: call.durationNs }),
    threadId: call.tid,
    ...(withThreadName || style.verbose ? { threadName: call.threadName } : {}),
    ...(call.parent === null && !style.verbose ? {} : { parentEventId: call.parent }),
    ...(style.verbose
      ? { depth: call.depth, pid: call.pid, sourceFile: call.file, lineNumber: call.line }
      : {}),
  };
}

function argumentsTwin(call: CallView, style: CallStyle): Record<string, unknown> {
  return Object.fromEntries(call.arguments.map(({ name, value }) => [name, valueJson(value, style)]));
}
