import { expect, test } from 'vitest';
import { debuggerWords } from '../../../src/client/shell/debuggerWords.ts';
import { parseCommand } from '../../../src/client/commandLine.ts';
import { manifest } from '../../../src/client/manifest.ts';

/** Command lines of other debuggers, and the command and arguments that they are here. */
const lines: readonly (readonly [string, string, object])[] = [
  ['start ./app -- 1 2', 'launch', { command: './app', args: ['1', '2'] }],
  ['attach 4711', 'attach', { pid: 4711 }],
  ['breakpoint add main.rs:42', 'break', { add: ['main.rs:42'] }],
  ['break main.rs:42', 'break', { add: ['main.rs:42'] }],
  ['b main', 'break', { add: ['main'] }],
  ['breakpoint add --function main', 'break', { add: [{ function: 'main' }] }],
  ['breakpoint add main --adapter gdb', 'break', { add: ['main'], adapter: 'gdb' }],
  ['breakpoint add -f shop::sell', 'break', { add: [{ function: 'shop::sell' }] }],
  [
    'breakpoint add main.rs:42 --condition x>10',
    'break',
    { add: [{ file: 'main.rs', line: 42, condition: 'x>10' }] },
  ],
  [
    'breakpoint add main.rs:42 --hit-count 5',
    'break',
    { add: [{ file: 'main.rs', line: 42, at: 5 }] },
  ],
  ['breakpoint list', 'break', {}],
  ['breakpoint remove b1', 'break', { remove: ['b1'] }],
  ['breakpoint remove --all', 'break', { remove: ['all'] }],
  ['breakpoint enable b1', 'break', { change: [{ id: 'b1', enabled: true }] }],
  ['breakpoint disable b1', 'break', { change: [{ id: 'b1', enabled: false }] }],
  [
    'break disable b1 b2',
    'break',
    {
      change: [
        { id: 'b1', enabled: false },
        { id: 'b2', enabled: false },
      ],
    },
  ],
  ['watch counter', 'break', { add: [{ data: 'counter' }] }],
  ['watch counter --read', 'break', { add: [{ data: 'counter', access: 'access' }] }],
  ['watch counter --access', 'break', { add: [{ data: 'counter', access: 'access' }] }],
  [
    'watch counter --condition counter>100',
    'break',
    { add: [{ data: 'counter', condition: 'counter>100' }] },
  ],
  ['watch list', 'break', {}],
  ['watch remove b2', 'break', { remove: ['b2'] }],
  ['continue', 'continue', {}],
  ['c', 'continue', {}],
  ['next', 'next', {}],
  ['n', 'next', {}],
  ['next --instruction', 'continue', { action: 'overInstruction' }],
  ['ni', 'continue', { action: 'overInstruction' }],
  ['nexti --stop s3', 'continue', { action: 'overInstruction', stop: 's3' }],
  ['step', 'step', {}],
  ['step --instruction', 'continue', { action: 'instruction' }],
  ['stepi', 'continue', { action: 'instruction' }],
  ['si', 'continue', { action: 'instruction' }],
  ['s', 'step', {}],
  ['finish', 'finish', {}],
  ['out', 'finish', {}],
  ['until main.rs:50', 'until', { to: 'main.rs:50' }],
  ['pause', 'pause', {}],
  ['await', 'await', {}],
  ['context', 'where', {}],
  ['where', 'where', {}],
  ['backtrace', 'bt', {}],
  ['bt', 'bt', {}],
  ['frame 2', 'locals', { frame: 2 }],
  ['frame', 'where', {}],
  ['locals', 'locals', {}],
  ['args', 'locals', {}],
  ['print my_struct.nested.field', 'print', { expression: 'my_struct.nested.field' }],
  ['print *ptr', 'print', { expression: '*ptr' }],
  ['p counter', 'print', { expression: 'counter' }],
  ['print array[5] --type', 'print', { expression: 'array[5]' }],
  ['eval x+y*2', 'print', { expression: 'x+y*2' }],
  ['eval vec.push(42)', 'print', { expression: 'vec.push(42)' }],
  ['set counter 100', 'memory', { do: [{ write: 'counter', value: 100 }] }],
  ['set kind Open', 'memory', { do: [{ write: 'kind', value: 'Open' }] }],
  ['threads', 'threads', {}],
  ['thread', 'where', {}],
  ['thread 4711', 'where', { thread: 4711 }],
  ['memory read 0x7ffc12345678', 'memory', { do: [{ read: '0x7ffc12345678', bytes: 64 }] }],
  ['memory read &my_var --count 32', 'memory', { do: [{ read: 'my_var', bytes: 32 }] }],
  ['memory read 0x1000 --format hex', 'memory', { do: [{ read: '0x1000', bytes: 64 }] }],
  ['registers', 'registers', {}],
  ['registers rax rsp', 'memory', { do: [{ read: '$rax' }, { read: '$rsp' }] }],
  [
    'break add order.c:22 --at 3 --stop process --once --thread worker',
    'break',
    {
      add: [{ file: 'order.c', line: 22, at: 3, stop: 'process', once: true, thread: 'worker' }],
    },
  ],
  [
    'b sum --every 10 --after 5 --log {x} --label tenth',
    'break',
    { add: [{ function: 'sum', every: 10, after: 5, log: '{x}', label: 'tenth' }] },
  ],
  [
    'catch python KeyError --uncaught',
    'break',
    { add: [{ exception: 'python', type: 'KeyError', caught: 'uncaught' }] },
  ],
  ['catch js', 'break', { add: [{ exception: 'js' }] }],
  ['catch panic', 'break', { add: [{ exception: 'panic' }] }],
  ['catch throw', 'break', { add: [{ exception: 'cpp' }] }],
  [
    'catch throw std::runtime_error',
    'break',
    { add: [{ exception: 'cpp', type: 'std::runtime_error' }] },
  ],
  ['catch list', 'break', {}],
  ['catch remove b3', 'break', { remove: ['b3'] }],
  ['output', 'query', { view: 'output' }],
  ['output --tail 50', 'query', { view: 'output', tail: 50 }],
  ['output', 'query', { view: 'output' }],
  [
    'raw thread backtrace all',
    'memory',
    { do: [{ evaluate: 'thread backtrace all', sideEffects: true }] },
  ],
  ['disassemble', 'disassemble', {}],
  ['disassemble --count 20 --source', 'disassemble', { count: 20 }],
];

test.each(lines)('[stop.words] strobe %s', (line, name, expected) => {
  const [word, ...rest] = debuggerWords(line.split(' '));
  const command = manifest.commands.find((one) => one.command === word);
  expect(word).toBe(name);
  expect(command && parseCommand(command, rest).arguments).toEqual(expected);
});

/** Command lines of other debuggers that are different here, and what serves instead. */
const different: readonly (readonly [string, string])[] = [
  ['start ./app --adapter lldb-dap', 'strobe break add main --adapter gdb'],
  ['attach 4711 --adapter lldb-dap', 'strobe break add main --adapter gdb'],
  ['continue --thread', 'strobe threads'],
  ['where --context 10', 'strobe where'],
  ['context --context=10', 'strobe where'],
  ['source main.rs:30', 'strobe where'],
  ['list main.rs:30', 'strobe where'],
  ['source --function', 'strobe where'],
  ['backtrace --locals', 'strobe locals --frame 1'],
  ['bt --limit 5', 'strobe bt'],
  ['up', 'strobe locals --frame 1'],
  ['down', 'strobe locals --frame 0'],
  ['print counter --format hex', "strobe memory read '&counter' --count 8"],
  ['p ptr --format address', "strobe memory read '&counter' --count 8"],
  ['disassemble 0x555555554000', 'strobe disassemble --frame 1'],
  ['output --follow', 'strobe session wait --for output'],
  ['output --clear', 'strobe output --tail 20'],
  ['config', 'strobe doctor'],
];

test.each(different)('[stop.words] strobe %s says why not, and what serves', (line, instead) => {
  let said: unknown;
  try {
    debuggerWords(line.split(' '));
  } catch (error) {
    said = error;
  }
  expect(said).toMatchObject({ code: 'UNKNOWN_PARAMETER', hint: instead });
  const [, word = '', ...rest] = debuggerWords(instead.split(' '));
  const [command, ...words] = debuggerWords([word, ...rest]);
  const known = manifest.commands.find((one) => one.command === command);
  if (known) parseCommand(known, words);
  else expect(command).toBe('doctor');
});

test('[stop.words] words that are no debugger’s stay as they are', () => {
  for (const line of ['trace add bank::*', 'session stop', 'break add a.c:1 b.c:2', 'break --help'])
    expect(debuggerWords(line.split(' '))).toEqual(line.split(' '));
  expect(debuggerWords(['watch', '--help'])).toEqual(['break', '--help']);
  expect(() => debuggerWords(['catch', 'signal'])).toThrow(/none of: throw, panic/);
  expect(() => debuggerWords(['b', 'sum', '--at', 'third'])).toThrow(/no number of hits/);
  expect(() => debuggerWords(['set', 'counter'])).toThrow(/needs a variable and a value/);
  expect(() => debuggerWords(['b', 'disable'])).toThrow(/needs the id of a breakpoint/);
  expect(() => debuggerWords(['memory', 'read'])).toThrow(/needs an address or a variable/);
});
