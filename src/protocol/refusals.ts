/**
 * Why the engine did not hook a function. The order is the wire code (0 = hooked): append only.
 * `native/engine/record.h` is generated from it.
 */
export const refusals = {
  hooked: 'hooked',
  tooShort: 'the function is shorter than the 5-byte jump and no padding follows it',
  branchIntoPrologue: 'a branch inside the function leads into its first bytes',
  unsupportedInstruction: 'its first instructions cannot be moved',
  notExecutable: 'its address is not executable code in the running program',
  noNearMemory: 'no free memory within ±2 GB of it',
  stackArgumentsTooLarge: 'it takes more than 256 bytes of stack arguments',
  poolFull: 'all thunks of this session are in use',
  protected: 'the kernel or a security module forbids changing its code',
  special: 'it must see its own caller frame (setjmp, vfork, makecontext and their kin)',
  moduleNotLoaded: 'its library is not loaded',
  overlaps: 'another function begins inside its first bytes',
  sanitizer: 'it belongs to a sanitizer, which also runs it where nothing may be recorded',
  notStopped:
    'a thread that may stand in its first bytes got no processor for seconds, or is held by a debugger; trace it again',
  breakpoint: "a debugger's breakpoint stands in its code: remove it and trace the function again",
  undecodable:
    'its code holds bytes that are no instruction, so that a branch into its first bytes cannot be excluded',
  returnAddress:
    'it uses its return address, which a hook replaces (__builtin_return_address, instrumentation, or a tail call of dlsym, dlopen and their kin)',
  convention:
    "it is not called as C functions are, or nothing says that it is: it has no call frame information, or another language's convention",
  mayFault:
    'its first instructions may fault (a nil pointer), which the program only understands where they are',
  assembler: 'it is written in assembler, which keeps to no convention of Go',
  shortReturn: 'one of its returns is too short for a jump',
  tailCall: 'it ends by a jump into another function',
  frameActive: 'a thread or goroutine stands in the bytes that are replaced: trace it again',
  runtimeOfGo: "it belongs to Go's runtime, which also runs it where nothing may be recorded",
  noPlace:
    'its first instruction is shorter than a jump, and what a jump there could lead to is in use or where the heap grows: that depends on where the program is loaded, so start it again, or take the next line',
  codeOfGo:
    'it is code of Go in a program whose code of Go cannot be traced: its runtime moves stacks and reads return addresses, which hooks from inside replace',
  codeOfC:
    'it is code of C in a static program of Go, which is traced from outside, by its goroutines: link the program dynamically (without -static) to trace its C',
  sandboxed:
    'its process has entered a sandbox (seccomp), which may end it for a system call that tracing makes: run it without its sandbox to trace more of it',
  libraryOfGo:
    'it is code of Go in a plugin or another library (-buildmode=plugin, c-shared), and Strobe traces Go only in the file of a program of Go: build its package into such a program, or trace its tests (go test)',
} as const;

export type RefusalCode = Exclude<keyof typeof refusals, 'hooked'>;
// oxlint-disable-next-line typescript/consistent-type-assertions -- keys of a closed object
export const verdictCodes = Object.keys(refusals) as readonly (keyof typeof refusals)[];
