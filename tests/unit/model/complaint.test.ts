import { expect, test } from 'vitest';
import { readComplaints } from '../../../src/model/endings/complaint.ts';

const samples: readonly (readonly [what: string, lines: readonly string[], expected: object])[] = [
  [
    'an assertion of glibc',
    ["app: src/queue.c:12: int push(int): Assertion `n > 0' failed."],
    {
      kind: 'assertion',
      text: 'assertion `n > 0` failed',
      place: { file: 'src/queue.c', line: 12 },
    },
  ],
  [
    'an uncaught exception of libstdc++',
    ["terminate called after throwing an instance of 'std::out_of_range'", '  what():  too far'],
    {
      kind: 'uncaughtException',
      text: 'uncaught std::out_of_range: too far',
      name: 'std::out_of_range',
    },
  ],
  [
    'a panic of Rust',
    [
      '',
      "thread 'worker' (4711) panicked at src/main.rs:8:9:",
      'index out of bounds: the len is 3 but the index is 3',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ],
    {
      kind: 'panic',
      text: "thread 'worker' panicked: index out of bounds: the len is 3 but the index is 3",
      place: { file: 'src/main.rs', line: 8 },
      details: [],
    },
  ],
  [
    'an exception of a thread of Python',
    [
      'Exception in thread worker:',
      'Traceback (most recent call last):',
      '  File "/lib/threading.py", line 10, in run',
      '    self._target()',
      '  File "/app/bank.py", line 14, in deposit',
      '    raise Refused(f"code {code}")',
      '          ^^^^^^^^^^^^^^^^^^^^^^^',
      'bank.Refused: code 3',
    ],
    {
      kind: 'uncaughtException',
      text: 'bank.Refused: code 3, in thread worker',
      name: 'bank.Refused',
      place: { file: '/app/bank.py', line: 14 },
      details: [
        'deposit (/app/bank.py:14): raise Refused(f"code {code}")',
        'run (/lib/threading.py:10): self._target()',
      ],
    },
  ],
  ['a check of the heap', ['double free or corruption (out)'], { kind: 'heap' }],
  [
    'a call of a pure virtual function',
    ['pure virtual method called', 'terminate called without an active exception'],
    { kind: 'other', text: 'pure virtual method called' },
  ],
  ['a smashed stack', ['*** stack smashing detected ***: terminated'], { kind: 'stackSmashing' }],
  [
    "a fault in Java's virtual machine",
    [
      '#',
      '# A fatal error has been detected by the Java Runtime Environment:',
      '#',
      '#  SIGSEGV (0xb) at pc=0x00007fefce6d2f94, pid=11397, tid=11398',
      '#',
      '# Problematic frame:',
      '# V  [libjvm.so+0xed2f94]  Unsafe_PutLong+0x124',
      '#',
      '# An error report file with more information is saved as:',
      '# /work/hs_err_pid11397.log',
    ],
    {
      kind: 'other',
      text: "Java's virtual machine: SIGSEGV (0xb) at pc=0x00007fefce6d2f94, pid=11397, tid=11398, in V  [libjvm.so+0xed2f94]  Unsafe_PutLong+0x124",
      details: ['its report, with the stacks of Java: /work/hs_err_pid11397.log'],
    },
  ],
  [
    'undefined behaviour',
    ['/src/a.c:4:9: runtime error: signed integer overflow: 2147483647 + 1'],
    { kind: 'sanitizer', place: { file: '/src/a.c', line: 4 } },
  ],
  [
    'a race that the thread sanitizer found',
    [
      'WARNING: ThreadSanitizer: data race (pid=12)',
      '  Write of size 4 at 0x5581 by thread T2:',
      '    #0 count /src/race.c:7 (race+0x12)',
      'SUMMARY: ThreadSanitizer: data race /src/race.c:7 in count',
    ],
    { kind: 'sanitizer', name: 'data', place: { file: '/src/race.c', line: 7 } },
  ],
];

for (const [what, lines, expected] of samples) {
  test(`${what} is read`, () => {
    expect(readComplaints(['starting', ...lines, 'ending'])).toMatchObject([expected]);
  });
}

test('ordinary output is no complaint', () => {
  expect(readComplaints(['Assertion rules checked', 'error: 3 tests failed', 'what(): ?'])).toEqual(
    [],
  );
});
