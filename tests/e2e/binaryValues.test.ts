import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

const png = '89504e470d0a1a0a0000000d494844520000010000000100';
const shownPng = '<binary 24 bytes: 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 …(+8)>';
const wholePng =
  '<binary 24 bytes: 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 01 00 00 00 01 00>';
const begin = '89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 …';
/** Of 3,024 bytes of which 1,024 were captured; a parameter keeps no more of its length than that it is longer. */
const large = `<binary, more than 1,024 bytes: ${begin}>`;
const largeInside = `<binary 3,024 bytes: ${begin}(+3008)>`;
const request = '<37 bytes: "GET / HTTP/1.1\\r\\nHost: example.org\\r\\n\\r\\n">';

describe('binary values', () => {
  const { home, client } = withClient();

  async function traced(program: string, pattern: string): Promise<string> {
    const run = await runToEnd(client, home, program, { patterns: [{ pattern, depth: 1 }] });
    return run.sessionId;
  }

  /** What answers show that are not verbose. */
  async function shown(sessionId: string): Promise<readonly unknown[]> {
    const asked = { view: 'events', sessionId, eventType: ['call'], budget: 20_000, limit: 500 };
    const { structured } = await client.ok('debug_query', asked);
    expect(at(structured, 'hasMore')).toBe(false);
    return listAt(structured, 'events');
  }

  function given(calls: readonly unknown[], name: string, argument: string): unknown[] {
    const own = calls.filter((call) => textAt(call, 'functionName').endsWith(`data::${name}`));
    return own.map((call) => {
      const value = at(call, 'arguments', argument);
      const shownValue = at(value, 'value') ?? value;
      return shownValue === largeInside ? large : shownValue;
    });
  }

  async function isAsBuilt(program: string): Promise<void> {
    const sessionId = await traced(program, 'data::*');
    const calls = await shown(sessionId);
    const texts = [
      'plain',
      'café €\n',
      'a\0b',
      'M\ufffdller',
      '\x1b[31mred\x1b[0m',
      '\x03',
      '\0\0',
    ];
    const all = [
      shownPng,
      large,
      ...texts,
      '<binary 12 bytes: 00 00 00 00 00 00 00 00 00 00 00 00>',
    ];
    expect(given(calls, 'text', 's').slice(0, -1)).toEqual(all);
    expect(given(calls, 'owned', 's')).toEqual(all);
    expect(given(calls, 'view', 's')).toEqual(all);
    // Only what comes before the NUL is known to belong to it.
    const untilNul = '<binary 8 bytes before a NUL: 89 50 4e 47 0d 0a 1a 0a>';
    const plain = texts.map((text) => text.replace(/\0.*/, ''));
    expect(given(calls, 'chars', 's')).toEqual([untilNul, untilNul, ...plain, '']);
    const full = '<binary 5,000 bytes: ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff …(+4984)>';
    expect(given(calls, 'bytes', 'b')).toEqual([shownPng, [1, 2, 3, 250], request, full]);
    expect(given(calls, 'raw', 'r')).toEqual([shownPng]);
    expect(given(calls, 'row', 'r')).toEqual(['no']);
    expect(given(calls, 'signedBytes', 'b')).toEqual([[-1, -2, -3, 4, 5, 6, 7, 8, '…(+2)']]);
    expect(given(calls, 'letters', 'b')).toEqual([request, shownPng, ['o', 'k']]);
    const counted = '<binary 12 bytes: 01 02 03 04 05 06 07 08 09 0a 0b 0c>';
    expect(given(calls, 'fixed', 'b')).toEqual([counted]);
    expect(given(calls, 'queue', 'b')).toEqual([shownPng]);
    expect(given(calls, 'packet', 'p')).toMatchObject([
      {
        id: '<binary 8 bytes: 01 02 03 04 05 00 07 08>',
        digest: '<binary 16 bytes: 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff>',
        body: shownPng,
        raw: shownPng,
      },
    ]);
    const gave = calls.filter((call) => at(call, 'functionName') === 'data::give');
    expect(gave.map((call) => at(call, 'returnValue'))).toEqual([
      shownPng,
      '<binary 4 bytes: 89 50 4e 47>',
    ]);
  }

  test.each(['-O0', '-O2'])('[values.binary] of C++, %s', async (level) => {
    await isAsBuilt(buildTarget('e2e/binary.cpp', ['-std=c++20', level]));
  });

  itNeeds('libcxx', "[values.binary] of C++ with LLVM's library", async () => {
    await isAsBuilt(buildByClang('e2e/binary.cpp', [...libcxxFlags]));
  });

  itNeeds('rustc', '[values.binary] of Rust', async () => {
    const program = buildTarget('e2e/binary.rs', ['-C', 'opt-level=0']);
    const calls = await shown(await traced(program, 'binary::data::*'));
    const image = '<binary 12 bytes: 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d>';
    const text = '<16 bytes: "GET / HTTP/1.1\\r\\n">';
    expect(given(calls, 'slice', 'b')).toEqual([image, text, [1, 2, 3]]);
    expect(given(calls, 'owned', 'b')).toEqual([image]);
    expect(given(calls, 'ring', 'b')).toEqual([image]);
    expect(given(calls, 'signs', 'b')).toEqual([[...Array.from({ length: 8 }, () => -1), '…(+4)']]);
    expect(given(calls, 'frame', 'f')).toMatchObject([
      {
        id: '<binary 16 bytes: 00 10 20 30 40 50 60 70 80 90 a0 b0 c0 d0 e0 f0>',
        body: image,
        small: [1, 2, 3],
        grid: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
    ]);
  });

  test('[values.binary] verbose answers have the bytes, filters and SQL find what they found', async () => {
    const sessionId = await traced(buildTarget('e2e/binary.cpp', ['-std=c++20', '-O0']), 'data::*');
    const calls = await callsOf(client, sessionId);
    const base64 = Buffer.from(png, 'hex').toString('base64');
    const whole = { summary: wholePng, base64 };
    for (const [name, argument] of [
      ['text', 's'],
      ['bytes', 'b'],
    ] as const) {
      const call = calls.find((one) => one.function === `data::${name}`);
      expect(call?.arguments[argument]).toEqual(whole);
    }
    const found = async (argument: Readonly<Record<string, unknown>>): Promise<string[]> => {
      const those = await callsOf(client, sessionId, { argument: [argument] });
      return those.map((call) => call.function);
    };
    const texts = ['data::text', 'data::owned', 'data::view'];
    expect(await found({ name: 's', contains: 'IHDR' })).toEqual([...texts, ...texts]);
    expect(await found({ name: 'b.0', equals: 0x89 })).toEqual(['data::bytes', 'data::queue']);
    expect(await found({ name: 'p.body', contains: 'IHDR' })).toEqual(['data::packet']);
    expect(await found({ name: 'p', contains: 'IHDR' })).toEqual(['data::packet']);
    const { structured } = await client.ok('debug_query', {
      view: 'sql',
      sessionId,
      sql: `select count(*) as n from events where function_name = 'data::bytes'
            and json_extract(arguments, '$.b[1]') = 80`,
    });
    expect(at(structured, 'rows')).toEqual([[1]]);
  });

  test('[values.binary] a line of a tree does not take different bytes for the same', async () => {
    const program = buildTarget('e2e/binary.cpp', ['-std=c++20', '-O0']);
    const sessionId = await traced(program, 'pairs::alike');
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
    // Read as UTF-8 they are alike.
    expect(text).toMatch(
      /alike\(s=<binary (?:ff fe>\|<binary fe ff|fe ff>\|<binary ff fe)>\) = 2 ×/,
    );
  });
});
