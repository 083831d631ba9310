import { expect, test } from 'vitest';
import { commandText, withCommands } from '../../../src/client/commandText.ts';
import { manifest } from '../../../src/client/manifest.ts';

function line(tool: string, args: object): string | null {
  return commandText(manifest.commands, tool, JSON.stringify(args));
}

test.each<[string, object, string | null]>([
  ['debug_query', { sessionId: 's-1', view: 'tree' }, 'strobe query tree s-1'],
  ['debug_query', { sessionId: 's-1' }, 'strobe query --session-id s-1'],
  [
    'debug_query',
    { sessionId: 's-1', view: 'events', function: { equals: "it's::f(int)" }, budget: 900 },
    `strobe query events s-1 --function '{"equals":"it'\\''s::f(int)"}' --budget 900`,
  ],
  [
    'debug_query',
    { view: 'events', returnValue: { equals: -1 }, argument: [{ name: 'n', gt: 4 }] },
    `strobe query events --return-value -1 --argument '{"name":"n","gt":4}'`,
  ],
  [
    'debug_query',
    { view: 'sql', sql: 'SELECT 1', params: [1, 'x'] },
    `strobe query sql 'SELECT 1' --params 1 --params '"x"'`,
  ],
  ['debug_session', { action: 'list', scope: 'all' }, 'strobe session list --scope all'],
  ['debug_session', { action: 'stop', sessionId: 's-1' }, 'strobe session stop s-1'],
  [
    'debug_trace',
    { sessionId: 's-1', add: ['bank::*', '@file:a b.c'] },
    "strobe trace --session-id s-1 add 'bank::*' '@file:a b.c'",
  ],
  [
    'debug_trace',
    { add: [{ pattern: 'f', when: 'n > 1' }] },
    `strobe trace --add '{"pattern":"f","when":"n > 1"}'`,
  ],
  [
    'debug_launch',
    { command: './app', args: ['-x', '--json'], patterns: ['f*'] },
    "strobe launch --trace 'f*' -- ./app -x --json",
  ],
  ['debug_launch', { command: './app' }, 'strobe launch -- ./app'],
  ['debug_launch', { pid: 42 }, 'strobe attach 42'],
  ['debug_breakpoint', { add: [{ exception: 'js' }] }, 'strobe catch js'],
  ['debug_query', { notKnown: 1 }, null],
])('[cli.next] %s %j', (tool, args, expected) => {
  expect(line(tool, args)).toBe(expected);
});

test('[cli.next] only next steps change in an answer, and all calls in a refusal', () => {
  const call = 'debug_query {"sessionId":"s-1","view":"tree"}';
  const other = 'debug_query {"nothing":1}';
  const answer = `printed: ${call}\nnext:\n  ${call}  — what ran\n  ${other}  — no command`;
  expect(withCommands(answer, manifest.commands, false)).toBe(
    `printed: ${call}\nnext:\n  strobe query tree s-1  — what ran\n  strobe query {"nothing":1}  — no command`,
  );
  expect(withCommands(`Ask ${call}, or ${other}.`, manifest.commands, true)).toBe(
    `Ask strobe query tree s-1, or strobe query {"nothing":1}.`,
  );
});

test('[cli.errors] a refusal names flags, not parameters of tools', () => {
  const refused = (text: string): string => withCommands(text, manifest.commands, true);
  expect(refused('Next: Launch it with "stdin": "open".')).toBe(
    'Next: Launch it with --stdin open.',
  );
  expect(refused('With "pending": true the same is staged; "told": true is not ours.')).toBe(
    'With --pending the same is staged; "told": true is not ours.',
  );
  expect(refused('BAD_PARAMETER: debug_launch: core is required.\nNext: Add core.')).toBe(
    'BAD_PARAMETER: core is required.\nNext: Add --core.',
  );
  expect(
    refused('Next: Give "to": "127.0.0.1:80". Leave it out; stdio takes text, timeFrom.'),
  ).toBe('Next: Give --to 127.0.0.1:80. Leave it out; stdio takes --text, --time-from.');
  expect(refused('Launch it again with "patterns": ["@net", "@file"].')).toBe(
    'Launch it again with --trace @net --trace @file.',
  );
});

test('[cli.next] how to see what was left out changes, too, at an answer’s end or before its next steps', () => {
  const more = (call: string): string => `… 3 more: ${call}`;
  const call = 'debug_query {"sessionId":"s-1","view":"events","cursor":"c"}';
  const command = 'strobe query events s-1 --cursor c';
  const shown = (end: string): string =>
    withCommands(`${more(call)}\nprinted\n… and on\n${end}`, manifest.commands, false);
  const same = `${more(call)}\nprinted\n… and on\n`;
  expect(shown(more(call))).toBe(`${same}${more(command)}`);
  expect(shown(`${more(call)}\nnext:\n  ${call}  — why`)).toBe(
    `${same}${more(command)}\nnext:\n  ${command}  — why`,
  );
  expect(shown(`… text: "x: ${call}"`)).toBe(`${same}… text: "x: ${call}"`);
});
