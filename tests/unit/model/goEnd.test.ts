import { expect, test } from 'vitest';
import { faultOfGo, goEndLine, readGoEnd } from '../../../src/model/endings/goEnd.ts';

const again = [
  'panic: first [recovered]',
  '\tpanic: second',
  '[signal SIGSEGV: segmentation violation code=0x1 addr=0x10 pc=0x4a3d12]',
  '',
  'goroutine 7 gp=0xc000002380 m=0 mp=0x5a1b20 [running]:',
  'main.guard.func1()',
  '\t/app/guard.go:9 +0x18',
  'panic({0x4a3d12?, 0x1?})',
  '\t/usr/local/go/src/runtime/panic.go:783 +0x18',
  'main.Map[...]({0x1, 0x2})',
  '\t/app/map.go:12 +0x98',
  'main.(*Pool).run(...)',
  '\t/app/pool.go:30',
  '...3 frames elided...',
  'created by main.(*Pool).Start in goroutine 1',
  '\t/app/pool.go:18 +0x40',
  '',
  'goroutine 8 [chan receive, 5 minutes]:',
  '\tgoroutine running on other thread; stack unavailable',
  'exit status 2',
];

test('a panic during a panic is read with its goroutines', () => {
  const end = readGoEnd(['begin', 'panic: an older one, without a stack', ...again]);
  expect(end).toEqual({
    text: 'panic: first [recovered]',
    details: [
      'panic: second',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x10 pc=0x4a3d12]',
    ],
    goroutines: [
      {
        number: 7,
        state: 'running',
        frames: [
          { function: 'main.guard.func1', file: '/app/guard.go', line: 9, isInlined: false },
          {
            function: 'panic',
            file: '/usr/local/go/src/runtime/panic.go',
            line: 783,
            isInlined: false,
          },
          { function: 'main.Map[...]', file: '/app/map.go', line: 12, isInlined: false },
          { function: 'main.(*Pool).run', file: '/app/pool.go', line: 30, isInlined: true },
        ],
        madeAt: {
          function: 'main.(*Pool).Start',
          file: '/app/pool.go',
          line: 18,
          isInlined: false,
        },
      },
      { number: 8, state: 'chan receive, 5 minutes', frames: [], madeAt: null },
    ],
  });
  expect(end && faultOfGo(end)?.line).toBe(12);
  expect(end && goEndLine(end)).toBe('panic: first [recovered], in main.Map[...] (map.go:12)');
});

test('lines that only begin alike are no end', () => {
  expect(readGoEnd(['panic: kernel said so', 'fatal error: x.h: No such file', ''])).toBeNull();
});
