import type { FrameVariable, StackFrame } from './crashReport.ts';
import { isUserCode } from '../names/pattern.ts';

/** A frame of a stack that a language told by itself: it has no address. `line`: 0 when it is not known. */
export function sourceFrame(
  { name, file, line }: { readonly name: string; readonly file: string; readonly line: number },
  projectRoot: string,
  variables: readonly FrameVariable[] = [],
): StackFrame {
  return {
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
    variables,
  };
}
