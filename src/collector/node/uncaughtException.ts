import type { RaisedException } from '../../model/endings/exception.ts';
import { isUserCode } from '../../model/names/pattern.ts';
import type { UncaughtNote } from '../../protocol/nodeTracer.ts';

/** What a note of an exception that nothing caught says. */
export function uncaughtException(
  { tid, type, message, frames }: UncaughtNote,
  about: Pick<RaisedException, 'key' | 'time' | 'pid'> & { readonly projectRoot: string },
): RaisedException {
  const { key, time, pid, projectRoot } = about;
  return {
    key,
    time,
    pid,
    tid,
    language: 'JavaScript',
    type: type === '' ? null : type,
    message: message === '' ? null : message,
    isMessageFound: false,
    isAgain: false,
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
    end: { kind: 'uncaught', what: 'main' },
  };
}
