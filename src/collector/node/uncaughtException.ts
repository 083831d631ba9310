import type { ToldException, UncaughtNote } from '../../protocol/nodeTracer.ts';
import { sourceFrame } from '../../model/endings/sourceFrame.ts';
import type { UncaughtException } from '../source/sourceProcess.ts';
import type { ToldValues } from '../source/toldValues.ts';

/** What a note of an exception that nothing caught says. */
export function uncaughtException(
  { tid, isMain, causes, ...told }: UncaughtNote,
  pid: number,
  projectRoot: string,
  values: ToldValues,
): UncaughtException {
  return {
    pid,
    tid,
    language: 'JavaScript',
    ...exceptionOf(told, projectRoot),
    ...(told.value === undefined ? {} : { value: values.value(told.value) }),
    isMessageFound: false,
    isAgain: false,
    causes: causes.map((cause) => ({ relation: 'cause', ...exceptionOf(cause, projectRoot) })),
    end: { kind: 'uncaught', what: isMain ? 'main' : 'thread' },
  };
}

function exceptionOf(
  { type, message, frames }: ToldException,
  projectRoot: string,
): Pick<UncaughtException, 'type' | 'message' | 'frames'> {
  return {
    type: type === '' ? null : type,
    message: message === '' ? null : message,
    frames: frames.map((frame) => sourceFrame(frame, projectRoot)),
  };
}
