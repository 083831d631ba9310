import { readlinkSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { nodeNote, type ToldException, type UncaughtNote } from '../../../protocol/nodeTracer.ts';
import { unknown } from './expressionValue.ts';
import { descriptorOf, toJson } from './intrinsics.ts';
import { note } from './moduleRewriting.ts';
import { className } from './names.ts';
import { isDeno } from './readers/mapReaders.ts';
import { correctPrinted } from './printed.ts';
import { rejectedReason } from './rejectedReason.ts';
import { errorMessage, errorName, isError } from './values/errorTexts.ts';
import { bytesOf } from './values/hexValues.ts';

const MOST_FRAMES = 50;
const MOST_TEXT = 1000;
const MOST_CAUSES = 4;

/** Notes an uncaught exception before Node ends the program. */
export function tellUncaught(): void {
  if (isDeno) {
    tellUncaughtOfDeno();
    return;
  }
  process.on('uncaughtExceptionMonitor', (error: unknown, origin) => {
    const isRejection = origin === 'unhandledRejection';
    const reason = isRejection ? rejectedReason(error) : unknown;
    const told = noteOf(reason === unknown ? error : reason, isRejection);
    note(nodeNote.uncaught, toJson(told));
    correctPrinted(told.frames);
  });
}

interface FailureEvent {
  readonly error?: unknown;
  readonly reason?: unknown;
}

/** It has no monitor, but events as in browsers; what it prints is led back by source maps. */
function tellUncaughtOfDeno(): void {
  const { addEventListener: listen } = globalThis as unknown as {
    addEventListener(name: string, listener: (event: FailureEvent) => void): void;
  };
  const tell = (error: unknown, isRejection: boolean): void =>
    note(nodeNote.uncaught, toJson(noteOf(error, isRejection)));
  listen('error', ({ error }) => tell(error, false));
  listen('unhandledrejection', ({ reason }) => tell(reason, true));
}

function noteOf(error: unknown, isRejection: boolean): UncaughtNote {
  const causes: ToldException[] = [];
  let last = causeOf(error);
  for (; last !== undefined && causes.length < MOST_CAUSES; last = causeOf(last))
    causes.push(toldOf(last));
  return { tid: threadOf(), isMain: isMainThread, isRejection, ...toldOf(error), causes };
}

function toldOf(error: unknown): ToldException {
  if (!isError(error))
    return {
      type: typeName(error),
      message: plain(error).slice(0, MOST_TEXT),
      value: bytesOf([error]),
      frames: [],
    };
  const { stack } = error;
  return {
    type: errorName(error),
    message: errorMessage(error).slice(0, MOST_TEXT),
    frames: typeof stack === 'string' ? framesOf(stack) : [],
  };
}

/** No getter runs. */
function causeOf(error: unknown): unknown {
  return isError(error) ? descriptorOf(error, 'cause')?.value : undefined;
}

function typeName(value: unknown): string {
  return typeof value === 'object' && value !== null ? className(value) : typeof value;
}

function plain(value: unknown): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- of objects nothing runs
  return typeof value === 'object' || typeof value === 'function' ? '' : String(value);
}

/** Of the system. */
function threadOf(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return process.pid;
  }
}

const frame = /^ {4}at (?:(?:async )?(.+?) \()?(?:file:\/\/)?(\/.+?):(\d+):\d+\)?$/;

function framesOf(stack: string): UncaughtNote['frames'] {
  return stack
    .split('\n')
    .flatMap((line) => {
      const [, name = '', file = '', number = '0'] = frame.exec(line) ?? [];
      return file === '' ? [] : [{ name: name || '(anonymous)', file, line: Number(number) }];
    })
    .slice(0, MOST_FRAMES);
}
