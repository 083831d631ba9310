import type { RaisedException } from '../../model/endings/exception.ts';
import { isUserCode } from '../../model/names/pattern.ts';
import type { ToldException, UncaughtNote } from '../../protocol/nodeTracer.ts';

/** What a note of an exception that nothing caught says. */
export function uncaughtException(
  { tid, causes, ...told }: UncaughtNote,
  about: Pick<RaisedException, 'key' | 'time' | 'pid'> & { readonly projectRoot: string },
): RaisedException {
  const { key, time, pid, projectRoot } = about;
  return {
    key,
    time,
    pid,
    tid,
    language: 'JavaScript',
    ...exceptionOf(told, projectRoot),
    isMessageFound: false,
    isAgain: false,
    causes: causes.map((cause) => ({ relation: 'cause', ...exceptionOf(cause, projectRoot) })),
    end: { kind: 'uncaught', what: 'main' },
  };
}

function exceptionOf(
  { type, message, frames }: ToldException,
  projectRoot: string,
): Pick<RaisedException, 'type' | 'message' | 'frames'> {
  return {
    type: type === '' ? null : type,
    message: message === '' ? null : message,
    frames: frames.map(({ name, file, line }) => ({
      pc: '0x0',
      function: name,
      module: file,
      frameAddress: null,
      offset: 0,
      file,
      line: line > 0 ? line : null,
      isInlined: false,
      isInterrupted: false,
      isGuess: false,
      isOwn: isUserCode(file, projectRoot),
      variables: [],
    })),
  };
}
