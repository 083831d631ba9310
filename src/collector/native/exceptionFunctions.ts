import { parsePattern } from '../../model/names/pattern.ts';
import type { NativeCode } from './nativeParts.ts';

/** A function of a run-time library that was linked into a program. */
export interface ExceptionFunction {
  /** From where the program begins, in bytes. */
  readonly offset: number;
  readonly kind: 'raised' | 'caught';
}

/** Libraries with functions that raise or catch; agent/exceptions.ts knows which. */
export const exceptionLibraries = /^lib(?:gcc_s|unwind|stdc\+\+|c\+\+abi|c\+\+)\.so/;

const functions = {
  _Unwind_RaiseException: 'raised',
  __cxa_begin_catch: 'caught',
  __rust_panic_cleanup: 'caught',
} as const;

/** Where a program itself raises and catches: Rust always does, C++ when it is linked statically. */
export async function exceptionFunctions(
  code: NativeCode,
  image: string,
): Promise<ExceptionFunction[]> {
  const found = await Promise.all(
    Object.entries(functions).map(async ([name, kind]) => {
      const { value } = await code.find([image], parsePattern(name), {
        projectRoot: '/',
        isOnlyWhether: true,
      });
      return value.functions.map(({ offset }) => ({ offset, kind }));
    }),
  );
  return found.flat();
}
