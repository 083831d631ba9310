/**
 * Functions that must see their caller's own frame or return twice: an inserted frame would
 * change what they do (engine hazard list).
 */
const special = new Set([
  'setjmp',
  '_setjmp',
  '__sigsetjmp',
  'sigsetjmp',
  'longjmp',
  '_longjmp',
  'siglongjmp',
  '__longjmp_chk',
  'vfork',
  '__vfork',
  'makecontext',
  'swapcontext',
  'getcontext',
  'setcontext',
  'clone',
  '__clone',
  'clone3',
  'dlsym',
  'dlvsym',
  'dlopen',
  '_dl_runtime_resolve',
  '_start',
  '__libc_start_main',
  '__libc_start_call_main',
  '_init',
  '_fini',
  '__tls_get_addr',
  '__stack_chk_fail',
  '_Unwind_Resume',
  '_Unwind_RaiseException',
  '_Unwind_Backtrace',
  '_Unwind_ForcedUnwind',
  '__restore_rt',
  '__morestack',
]);

/** The unwinder itself: it reads the frames an inserted one would stand between. */
const unwinder =
  /^(?:_Unwind_|uw_|__gcc_personality|__gxx_personality|__(?:de)?register_frame|execute_(?:cfa|stack)_)/;

/**
 * The run-time library of a sanitizer, which clang links into the program itself. The leak sanitizer
 * runs parts of it in a process that shares memory and thread storage with a stopped thread.
 */
const sanitizer =
  /^(?:_ZNK?\d+__(?:sanitizer|interception|[a-z]{1,8}san|memprof|sancov)|_{2,3}(?:interceptor|sanitizer|[a-z]{1,8}san|sancov)_|[a-z]{1,8}san\.module_|\.check_(?:load|store)_add_)/;

export function isOfSanitizer(linkageName: string): boolean {
  return sanitizer.test(linkageName);
}

/**
 * Pieces that LLVM's outliner took out of functions work on their caller's frame; descriptors of
 * thread-local storage are called by a convention of their own.
 */
const withoutFrame = /^(?:OUTLINED_FUNCTION_\d|_dl_tlsdesc_)/;

/** True when the function can never be hooked by an inserted frame. */
export function isSpecial(linkageName: string): boolean {
  const name = linkageName.replace(/@.*$/, '');
  return special.has(name) || unwinder.test(name) || withoutFrame.test(name);
}
