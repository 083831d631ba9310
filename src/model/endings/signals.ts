import type { SignalFacts } from './snapshot.ts';

/** Signals that a fault or an abort ends a program with on Linux. */
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
  [
    'SIGSEGV 128',
    'the instruction was refused, as for an address that cannot be or is not aligned',
  ],
  ['SIGBUS 1', 'the address is not aligned'],
  ['SIGBUS 2', 'the address is beyond the end of the mapped file'],
  ['SIGBUS 3', 'the hardware reports an error'],
  ['SIGSYS 1', 'a system call that a seccomp filter forbids'],
]);

/** What siginfo_t says (of 64 bits: number, errno, code, from byte 16 the address, or who sent it). Null when it is cut. */
export function readSignal(bytes: DataView, monotonicNs: bigint | null): SignalFacts | null {
  if (bytes.byteLength < 24) return null;
  const code = bytes.getInt32(8, true);
  const sender = bytes.getInt32(16, true);
  return {
    number: bytes.getInt32(0, true),
    code,
    address: code > 0 ? bytes.getBigUint64(16, true) : null,
    sender: sendingCodes.has(code) && sender > 0 ? sender : null,
    monotonicNs,
  };
}

/** SI_USER, SI_QUEUE, SI_TKILL: a process is named. */
const sendingCodes: ReadonlySet<number> = new Set([0, -1, -6]);

/** What a signal says of its cause in process `pid` (sigaction(2)); null when nothing. */
export function signalMeaning(
  { number, code, sender }: Pick<SignalFacts, 'number' | 'code' | 'sender'>,
  pid: number,
): string | null {
  if (sender === pid || (code === -6 && sender === null)) return 'raised by the program itself';
  if (code <= 0) return sender === null ? 'sent by a process' : `sent by process ${sender}`;
  return meanings.get(`${signalName(number)} ${code}`) ?? null;
}
