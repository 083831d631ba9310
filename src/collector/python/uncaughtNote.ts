import { isUserCode } from '../../model/names/pattern.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { RaisedException } from '../../model/endings/exception.ts';

const field = '\u001F';
const part = '\u001E';

/** What a note of an exception that nothing caught says (native/python/uncaught.c). */
export function uncaughtException(
  text: string,
  about: Pick<RaisedException, 'key' | 'time' | 'pid'> & { readonly projectRoot: string },
): RaisedException {
  const { key, time, pid, projectRoot } = about;
  const [tid = '0', type = '', message = '', ...frames] = text.split(field);
  return {
    key,
    time,
    pid,
    tid: Number(tid),
    language: 'Python',
    type: type === '' ? null : type,
    message: message === '' ? null : message,
    isMessageFound: false,
    isAgain: false,
    frames: frames.map((frame) => frameOf(frame, projectRoot)).toReversed(),
    end: { kind: 'uncaught', what: 'main' },
  };
}

function frameOf(text: string, projectRoot: string): StackFrame {
  const [name = '?', line = '0', file = ''] = text.split(part);
  return {
    pc: '0x0',
    function: name,
    module: file,
    frameAddress: null,
    offset: 0,
    file,
    line: Number(line) > 0 ? Number(line) : null,
    isInlined: false,
    isInterrupted: false,
    isGuess: false,
    isOwn: isUserCode(file, projectRoot),
    variables: [],
  };
}
