import type { Processor } from '../processor.ts';

const general = Array.from({ length: 31 }, (_unused, number) => `x${number}`);

/** AArch64 (AADWARF64 §4.1); system calls as include/uapi/asm-generic/unistd.h numbers them. */
export const arm64: Processor = {
  name: 'arm64',
  machine: 183,
  registers: [...general, 'sp', 'pc'],
  stack: 31,
  frame: 29,
  vectors: 32,
  raised: [...Array.from({ length: 12 }, (_unused, at) => 19 + at), 31, 32],
  replacedBytes: 4,
  systemCalls: new Map([
    [22, 'epoll_pwait'],
    [25, 'fcntl'],
    [32, 'flock'],
    [63, 'read'],
    [64, 'write'],
    [66, 'writev'],
    [72, 'pselect6'],
    [73, 'ppoll'],
    [82, 'fsync'],
    [95, 'waitid'],
    [98, 'futex'],
    [101, 'nanosleep'],
    [115, 'clock_nanosleep'],
    [124, 'sched_yield'],
    [133, 'rt_sigsuspend'],
    [136, 'rt_sigpending'],
    [137, 'rt_sigtimedwait'],
    [202, 'accept'],
    [203, 'connect'],
    [206, 'sendto'],
    [207, 'recvfrom'],
    [211, 'sendmsg'],
    [212, 'recvmsg'],
    [242, 'accept4'],
    [260, 'wait4'],
    [441, 'epoll_pwait2'],
  ]),
};
