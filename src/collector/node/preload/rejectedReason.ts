import inspector from 'node:inspector';
import { settlement } from './addon.ts';
import { unknown } from './expressionValue.ts';
import { descriptorOf, isArray, isNativeError, isProxy } from './intrinsics.ts';
import { className } from './names.ts';
import { handedKey, takeHanded, valueHanded } from './stops/handed.ts';
import { errorMessage } from './values/errorTexts.ts';

/** Finding all promises takes as long as a collection of all garbage. */
const MOST_HEAP = 256 << 20;
const MOST_PROMISES = 100_000;

const { memoryUsage } = process;

/**
 * What a promise was rejected with that ends the program. For a value that is no error Node makes one that has it only
 * as a text, so it is looked for in the promises of the thread; `unknown`: the error is what was thrown, or values of
 * several promises fit.
 */
export function rejectedReason(error: unknown): unknown {
  if (!isNativeError(error)) return unknown;
  if (descriptorOf(error as Error, 'code')?.value !== 'ERR_UNHANDLED_REJECTION') return unknown;
  const text = /reason "([^]*)"\.$/.exec(errorMessage(error as Error))?.[1];
  if (text === undefined || continues() || memoryUsage().heapUsed > MOST_HEAP) return unknown;
  const reasons = new Set<unknown>();
  try {
    for (const promise of promises().slice(0, MOST_PROMISES)) {
      const settled = settlement(promise);
      if (settled?.word === 'rejected' && isMeant(settled.value, text)) reasons.add(settled.value);
    }
  } catch {
    return unknown; // This Node has no inspector, or may not use it.
  }
  const [reason] = reasons;
  return reasons.size === 1 ? reason : unknown;
}

/** The program handles what nothing caught. */
function continues(): boolean {
  return (
    process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()
  );
}

/** Whether V8 writes a value that is no error as this text. */
function isMeant(value: unknown, text: string): boolean {
  if (typeof value === 'function') return !text.startsWith('#<');
  if (typeof value !== 'object' || value === null) return String(value) === text;
  if (isProxy(value)) return true;
  if (descriptorOf(value, 'stack') !== undefined) return false;
  return text.startsWith('#<') ? text === `#<${className(value)}>` : text.startsWith('[object ');
}

interface Remote {
  readonly objectId?: string;
}

function promises(): readonly object[] {
  const session = new inspector.Session();
  session.connect();
  const ask = (method: string, params: object): Record<string, Remote | undefined> => {
    let answer: object = {};
    session.post(method, params, (failure, told) => {
      if (!failure) answer = told ?? {};
    });
    return answer as Record<string, Remote | undefined>;
  };
  try {
    // A program may put something else in the place of Promise.
    const expression = 'Object.getPrototypeOf((async () => {})())';
    const { result } = ask('Runtime.evaluate', { expression });
    const { objects } = ask('Runtime.queryObjects', { prototypeObjectId: result?.objectId });
    takeHanded(unknown);
    ask('Runtime.callFunctionOn', {
      objectId: objects?.objectId,
      functionDeclaration: `function(){$strobe('${handedKey}',this)}`,
    });
  } finally {
    session.disconnect();
  }
  const handed = valueHanded();
  return isArray(handed) ? (handed as readonly object[]) : [];
}
