import { expect, test } from 'vitest';
import { ClientError } from '../../../src/client/clientError.ts';
import { parseCommand } from '../../../src/client/commandLine.ts';
import { debuggerWords } from '../../../src/client/shell/debuggerWords.ts';
import { withDefaults } from '../../../src/client/toolCommand.ts';
import { compareVersions } from '../../../src/client/daemonStart.ts';
import { commandHelp } from '../../../src/client/help.ts';
import { manifest } from '../../../src/client/manifest.ts';
import { parseInput } from '../../../src/protocol/parseInput.ts';
import type { ToolContract } from '../../../src/protocol/tools/tool.ts';
import { tools } from '../../../src/protocol/tools/tools.ts';

function command(name: string) {
  const found = manifest.commands.find((one) => one.command === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
}

/** The arguments a command line means, or the refusal. */
function meant(line: readonly string[]): unknown {
  const [name = '', ...words] = line;
  try {
    return parseCommand(command(name), words).arguments;
  } catch (error) {
    if (error instanceof ClientError) return `${error.code} ${error.message}`;
    throw error;
  }
}

test.each<[string[], unknown]>([
  [
    ['launch', '--breakpoints', '[{"line":3},{"line":5}]', '--trace', '[ab]*', '--', 'app'],
    {
      breakpoints: [{ line: 3 }, { line: 5 }],
      patterns: ['[ab]*'],
      command: 'app',
      args: [],
    },
  ],
  [
    ['launch', '--', './app', '-x', '--json', '--'],
    { command: './app', args: ['-x', '--json', '--'] },
  ],
  [
    ['launch', '--env', 'A=1=2', '--env', 'B=', '--stdin.file', 'in', '--', 'app'],
    { env: { A: '1=2', B: '' }, stdin: { file: 'in' }, command: 'app', args: [] },
  ],
  [
    [
      'launch',
      '--stdin',
      'open',
      '--trace',
      'a::*',
      '--trace',
      '{"pattern":"SSL_*","module":"libssl*"}',
      '--',
      'app',
    ],
    {
      stdin: 'open',
      patterns: ['a::*', { pattern: 'SSL_*', module: 'libssl*' }],
      command: 'app',
      args: [],
    },
  ],
  [
    [
      'trace',
      '--watches.add',
      '{"expr":"a.b"}',
      '--watches.add',
      '{"expr":"c"}',
      '--watches.remove',
      'x',
      '--watches.remove',
      'y',
    ],
    { watches: { add: [{ expr: 'a.b' }, { expr: 'c' }], remove: ['x', 'y'] } },
  ],
  [
    ['session', 'wait', '--for', 'exit', '--for', 'output', '--timeout-ms=100', 'app-1'],
    { action: 'wait', for: ['exit', 'output'], timeoutMs: 100, sessionId: 'app-1' },
  ],
  [
    ['session', 'stop', '--take-over', '--no-retain'],
    { action: 'stop', takeOver: true, retain: false },
  ],
  [
    ['trace', 'add', 'a::*', '--session-id', 's', '@usercode'],
    { add: ['a::*', '@usercode'], sessionId: 's' },
  ],
  [['trace', '--pending', 'remove', 'a'], { pending: true, remove: ['a'] }],
  [
    ['query', 'tree', '--root', 'c1.0', '--thread', '42', '--time-from', '-5s'],
    { view: 'tree', root: 'c1.0', thread: 42, timeFrom: '-5s' },
  ],
  [
    [
      'query',
      '--function',
      'a::*',
      '--source-file',
      'x.c',
      '--returnValue.lt',
      '-1',
      '--return-value.is-null',
    ],
    {
      function: { pattern: 'a::*' },
      sourceFile: { contains: 'x.c' },
      returnValue: { lt: -1, isNull: true },
    },
  ],
  [
    [
      'query',
      '--return-value',
      'true',
      '--argument',
      '{"name":"a","gt":1}',
      '--argument',
      '{"index":0,"isNull":true}',
    ],
    {
      returnValue: { equals: true },
      argument: [
        { name: 'a', gt: 1 },
        { index: 0, isNull: true },
      ],
    },
  ],
  [
    ['query', '--return-value.equals', '18446744073709551615'],
    { returnValue: { equals: '18446744073709551615' } },
  ],
  [
    ['query', '--veiw', 'tree'],
    'UNKNOWN_PARAMETER --veiw is not an option of strobe query. Did you mean --view?',
  ],
  [['session', 'list', '-x'], 'UNKNOWN_PARAMETER -x is not an option of strobe session.'],
  [['trace', 'add', '{"pattern":"a::*"}', 'b'], { add: [{ pattern: 'a::*' }, 'b'] }],
  [['query', 'sql', 'SELECT 1 FROM calls'], { view: 'sql', sql: 'SELECT 1 FROM calls' }],
  [
    ['query', 'sql', 'shop-2026', '--sql', 'SELECT 1 FROM calls'],
    { view: 'sql', sql: 'SELECT 1 FROM calls', sessionId: 'shop-2026' },
  ],
  [
    ['query', 'sql', 'SELECT 1 FROM calls', 'shop-2026'],
    { view: 'sql', sql: 'SELECT 1 FROM calls', sessionId: 'shop-2026' },
  ],
  [['break', 'change', '{"id":"b1"}'], { change: [{ id: 'b1' }] }],
  [['break', 'change', 'b1'], 'BAD_PARAMETER --change wants JSON, not b1'],
  [['query', '--text', 'tree', 'stats'], { text: 'tree', view: 'stats' }],
  [['query', '--limit', 'Infinity'], 'BAD_PARAMETER --limit wants a number, not "Infinity".'],
  [['session', 'stop', '--no-retain=false'], { action: 'stop', retain: true }],
  [['session', 'stop', '--retain=yes'], 'BAD_PARAMETER --retain is true or false.'],
  [['session', 'constructor'], 'BAD_PARAMETER "constructor" is not understood.'],
  [['query', 'treee'], 'BAD_PARAMETER "treee" is not understood. Did you mean "tree"?'],
  [['query', '--limit'], 'BAD_PARAMETER --limit needs a value.'],
  [['trace', 'add'], 'BAD_PARAMETER strobe trace add needs something to add.'],
  [['query', '--', 'x'], 'BAD_PARAMETER Nothing may follow -- here.'],
  [['launch', '--env', 'A', '--', 'x'], 'BAD_PARAMETER --env wants NAME=VALUE.'],
])('[cli.errors] %j', (line, wanted) => {
  expect(meant(line)).toEqual(wanted);
});

test('the examples of the help are command lines the tools accept', () => {
  for (const one of manifest.commands) {
    const tool: ToolContract | undefined = tools.find((candidate) => candidate.name === one.tool);
    if (!tool) throw new Error(one.tool);
    for (const example of one.examples) {
      const typed = [...example.matchAll(/'([^']*)'|(\S+)/g)];
      const [, ...words] = debuggerWords(typed.map((found) => found[1] ?? found[2] ?? ''));
      const given = parseCommand(one, words).arguments;
      expect(JSON.stringify(given), example).not.toContain('"{');
      const filled = withDefaults(one, given);
      expect(() => parseInput(tool, filled), example).not.toThrow();
    }
  }
});

test('[cli.help] help names every parameter of its tool', () => {
  for (const one of manifest.commands) {
    const text = commandHelp(one);
    for (const parameter of one.parameters) expect(text).toContain(`--${parameter.flag}`);
  }
});

test('versions are ordered by their numbers', () => {
  const sorted = ['0.9.0', '0.10.0', '1.0.0', '1.0.1-beta'];
  for (const [at, version] of sorted.entries()) {
    expect(compareVersions(version, version)).toBe(0);
    for (const later of sorted.slice(at + 1))
      expect(compareVersions(version, later)).toBeLessThan(0);
  }
});
