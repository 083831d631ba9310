import { separator, type FunctionName } from '../../../model/names/functionName.ts';
import type { Pattern } from '../../../model/names/pattern.ts';

const tilde = 126;
const less = 60;

/** Whether a pattern takes members that the compiler made: `Item::~Item` does, `Item::*` and `@usercode` do not. */
export function takesImplicit({ text }: Pattern): boolean {
  return !text.startsWith('@') && !(text.split('::').at(-1) ?? '').includes('*');
}

/** Whether the compiler may have made what has this name: a constructor, a destructor or an assignment. */
export function mayBeImplicit({ codes, depths, lastSegment }: FunctionName): boolean {
  if (lastSegment === 0) return false;
  if (codes[lastSegment] === tilde) return true;
  const own = codes.subarray(lastSegment);
  if (String.fromCodePoint(...own.subarray(0, 12)) === 'operator=') return true;
  let start = lastSegment - 1;
  while (start > 0 && !(codes[start - 1] === separator && depths[start - 1] === 0)) start--;
  const end = own.indexOf(less);
  const length = end < 0 ? own.length : end;
  const behind = codes[start + length];
  return (
    (behind === separator || behind === less) &&
    own.subarray(0, length).every((code, at) => codes[start + at] === code)
  );
}
