import { expect, test } from 'vitest';
import { readJsonRpc, refusalMessage } from '../../../src/base/lines.ts';

const most = 16 << 20;

const request = '{"jsonrpc":"2.0","id":101,"method":"tools/call"';

test.each([
  ['{"jsonrpc":', -32700, undefined, /^Parse error: /],
  ['hello', -32700, undefined, /^Parse error: /],
  ['\0', -32700, undefined, /^Parse error: /],
  ['[]', -32600, undefined, /^Batches are not supported: only MCP 2025-03-26 had them/],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, undefined, /^Batches /],
  ['5', -32600, undefined, 'Not a JSON-RPC message: expected an object.'],
  ['null', -32600, undefined, 'Not a JSON-RPC message: expected an object.'],
  [null, -32600, undefined, 'Request larger than 16 MB.'],
  ['{"id":5}', -32600, 5, 'Not a JSON-RPC message: it has no method.'],
  [`${request},"params":"x"}`, -32602, 101, 'params of tools/call must be an object.'],
  [`${request},"params":null}`, -32602, 101, 'params of tools/call must be an object.'],
  ['{"id":9,"method":"notifications/initialized"}', -32601, 9, /is a notification/],
  ['{"id":9007199254740993,"method":"ping"}', -32600, undefined, /not a safe integer/],
] as const)(
  '[mcp.refused] %s is refused with its code, and the id where there is one',
  (line, code, id, text) => {
    const { message, refused } = readJsonRpc(line, most);
    expect(message).toBeNull();
    if (refused === null) throw new Error('It is not refused.');
    expect(refused).toMatchObject({ code, ...(id === undefined ? {} : { id }) });
    expect(refused.text).toMatch(text);
    expect('id' in refusalMessage(refused)).toBe(id !== undefined);
  },
);

test('[mcp.refused] each request of a batch gets its own refusal', () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const { refused } = readJsonRpc(
    `[${ping},${note},${ping.replace('"id":1', '"id":"b"')}, 7]`,
    most,
  );
  if (refused === null) throw new Error('It is not refused.');
  expect(refusalMessage(refused)).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 'b', error: { code: -32600 } },
  ]);
});

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"id":"a","method":"tools/list","params":{}}',
  '{"id":1.5,"method":"ping","params":[1]}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","id":4,"result":{}}',
])('%s is a message', (line) => {
  expect(readJsonRpc(line, most).message).toEqual(JSON.parse(line));
});
