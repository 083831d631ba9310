/** Signals that a fault or an abort ends a program with, Linux x86-64. */
const names: ReadonlyMap<number, string> = new Map([
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [11, 'SIGSEGV'],
  [31, 'SIGSYS'],
]);

export function signalName(number: number): string {
  return names.get(number) ?? `signal ${number}`;
}

/** The names of signals that say that a program broke, and was not merely told to end. */
export const crashSignals: ReadonlySet<string> = new Set(names.values());

const meanings: ReadonlyMap<string, string> = new Map([
  ['SIGILL 1', 'illegal instruction'],
  ['SIGILL 2', 'illegal instruction, as __builtin_trap makes it'],
  ['SIGFPE 1', 'integer division by zero'],
  ['SIGFPE 2', 'integer overflow in a division'],
  ['SIGFPE 3', 'floating-point division by zero'],
  ['SIGFPE 7', 'invalid floating-point operation'],
  ['SIGSEGV 1', 'the address is not mapped'],
  ['SIGSEGV 2', 'the access is not permitted'],
  ['SIGSEGV 128', 'the address is not one a pointer can have'],
  ['SIGBUS 1', 'the address is not aligned'],
  ['SIGBUS 2', 'the address lies beyond the end of the mapped file'],
  ['SIGBUS 3', 'the hardware reports an error'],
  ['SIGSYS 1', 'a system call that a seccomp filter forbids'],
]);

/** What si_code says of a signal (sigaction(2)); null when nothing. */
export function signalMeaning(number: number, code: number): string | null {
  if (code === -6) return 'raised by the program itself';
  if (code <= 0) return 'sent by a process';
  return meanings.get(`${signalName(number)} ${code}`) ?? null;
}

/** System calls threads are found waiting in, by their number on x86-64. */
const systemCalls: ReadonlyMap<number, string> = new Map([
  [0, 'read'],
  [1, 'write'],
  [7, 'poll'],
  [20, 'writev'],
  [22, 'pipe'],
  [23, 'select'],
  [24, 'sched_yield'],
  [34, 'pause'],
  [35, 'nanosleep'],
  [42, 'connect'],
  [43, 'accept'],
  [44, 'sendto'],
  [45, 'recvfrom'],
  [46, 'sendmsg'],
  [47, 'recvmsg'],
  [61, 'wait4'],
  [72, 'fcntl'],
  [73, 'flock'],
  [74, 'fsync'],
  [127, 'rt_sigpending'],
  [128, 'rt_sigtimedwait'],
  [130, 'rt_sigsuspend'],
  [202, 'futex'],
  [230, 'clock_nanosleep'],
  [232, 'epoll_wait'],
  [247, 'waitid'],
  [270, 'pselect6'],
  [271, 'ppoll'],
  [281, 'epoll_pwait'],
  [288, 'accept4'],
  [441, 'epoll_pwait2'],
]);

export function systemCallName(number: number): string {
  return systemCalls.get(number) ?? `system call ${number}`;
}
