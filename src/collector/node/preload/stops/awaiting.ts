import { fileURLToPath } from 'node:url';
import type { AwaitingCall } from '../../../../protocol/nodeTracer.ts';
import { descriptorOf } from '../intrinsics.ts';

const { captureStackTrace } = Error;
const { defineProperty, deleteProperty } = Reflect;

const mostFrames = 48;

/**
 * The async functions that wait for what runs here, the nearest first: V8 finds them by the promises that a
 * microtask settles (v8.dev/docs/stack-trace-api), which no stack holds. No code of the program runs.
 */
export function awaitingCalls(): readonly AwaitingCall[] {
  // Node asks what is of that name.
  if (descriptorOf(globalThis, 'Error')?.value !== Error) return [];
  let sites: readonly NodeJS.CallSite[] = [];
  const take = (_: Error, found: readonly NodeJS.CallSite[]): string => {
    sites = found;
    return '';
  };
  withProperty('stackTraceLimit', mostFrames * 4, () =>
    withProperty('prepareStackTrace', take, () => {
      const holder: { readonly stack?: string } = {};
      captureStackTrace(holder);
      // Some versions ask for it only here.
      return holder.stack;
    }),
  );
  return sites
    .filter((site) => site.isAsync() && !site.isPromiseAll())
    .slice(0, mostFrames)
    .map((site) => ({
      name: site.getFunctionName() ?? '(anonymous)',
      file: pathOf(site.getFileName()),
      line: site.getLineNumber() ?? 0,
    }));
}

/** Gives `Error` a property while `work` runs; where it takes none, nothing is done. */
function withProperty(name: string, value: unknown, work: () => unknown): void {
  const before = descriptorOf(Error, name);
  if (!defineProperty(Error, name, { value, writable: true, configurable: true })) return;
  try {
    work();
  } finally {
    if (before) defineProperty(Error, name, before);
    else deleteProperty(Error, name);
  }
}

function pathOf(told: string | null | undefined): string {
  if (told?.startsWith('file:') !== true) return told ?? 'node:internal';
  try {
    return fileURLToPath(told.replace(/[?#].*$/, ''));
  } catch {
    return told;
  }
}
