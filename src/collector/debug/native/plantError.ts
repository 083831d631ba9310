/** ENOSPC */
const noSpace = 28;
/** EEXIST */
const exists = 17;

/** Why a place of a stopper cannot be, by the system's error number: a whole sentence. */
export function plantError(error: number, isData: boolean): string {
  if (!isData)
    return error === exists
      ? "Another debugger's breakpoint stands there, or the program's own int3."
      : `The breakpoint cannot be written (error ${error}).`;
  return error === noSpace
    ? 'The processor has four debug registers, and all are in use: remove one.'
    : `The kernel sets no debug register (error ${error}): it needs Linux 5.13, debug registers in a virtual machine, and perf_event_paranoid of at most 2.`;
}
