import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../src/base/tokenEstimate.ts';
import { packageRoot } from '../../support/strobe.ts';
import { countTokens } from '../../support/tokens.ts';

const folders = ['tests/unit/report/golden', 'tests/e2e/golden'].map((name) =>
  join(packageRoot, name),
);
const goldens = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.golden.txt'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
);

/** How often the exact count the estimate is. */
function ratio(text: string): number {
  return estimateTokens(text) / countTokens(text);
}

describe('the estimate of tokens', () => {
  test('is never below the exact count of a golden answer, and mostly at most 20 % above it', () => {
    const ratios = goldens.map(([name, text]) => ({ name, ratio: ratio(text) }));
    expect(ratios.filter((golden) => golden.ratio < 1)).toEqual([]);
    const above = ratios.filter((golden) => golden.ratio > 1.2);
    expect(above.length).toBeLessThan(ratios.length / 10);
  });

  test('is never below the exact count of calls with any names, numbers and texts', () => {
    const letters = fc.stringMatching(/^[a-z]{1,12}$/);
    const name = fc.oneof(
      fc.constantFrom('settle', 'Ledger', 'parseHeader', 'on_event', 'HTTPServer', 'operator<<'),
      letters,
    );
    const value = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      letters,
      fc.stringMatching(/^[ -~]{0,20}$/),
      fc.constantFrom(
        'Überweisung für März',
        'Ошибка при открытии файла',
        '无法打开文件',
        '🏠',
        null,
      ),
    );
    const call = fc.record({
      id: fc.nat(),
      functionName: fc.array(name, { minLength: 1, maxLength: 4 }),
      arguments: fc.dictionary(name, value, { maxKeys: 5 }),
      durationNs: fc.nat(1e9),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 20, maxLength: 60 }), (calls) => {
        const named = calls.map((one) => ({ ...one, functionName: one.functionName.join('::') }));
        const line = ({ id, functionName, arguments: given, durationNs }: (typeof named)[number]) =>
          `+1.2${id}s [worker-1] ${functionName}(${Object.entries(given)
            .map(([key, one]) => `${key}=${one}`)
            .join(', ')})  ${durationNs} ns  src/a.cpp:31  [c3.${id}]`;
        expect(ratio(named.map(line).join('\n'))).toBeGreaterThanOrEqual(1);
        expect(ratio(JSON.stringify(named))).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['German', 'Die Größe des Überweisungsbetrags für März wurde geändert. '],
    ['Polish', 'Nie można otworzyć pliku: brak uprawnień do odczytu. '],
    ['Russian', 'Ошибка при открытии файла: нет доступа к каталогу. '],
    ['Chinese', '无法打开文件：权限不足，请检查目录的访问权限设置。'],
    ['Japanese', 'ファイルを開けませんでした。権限を確認してください。'],
    ['Korean', '파일을 열 수 없습니다. 권한을 확인하십시오. '],
    ['emoji', '🏠 🚀 done ✓ '],
    ['base64', 'aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IGRhdGEgb2YgYW55IGtpbmQK'],
    ['addresses', '0x55d0c0a81f40 7f12:3400 de:ad:be:ef 00ff00ff '],
    ['a rule', '-'.repeat(80)],
  ])('is between the exact count and four times as much for %s', (_name, text) => {
    // A rule costs a token for many signs.
    const most = text.startsWith('--') ? 20 : 4;
    expect(ratio(text.repeat(20))).toBeGreaterThanOrEqual(1);
    expect(ratio(text.repeat(20))).toBeLessThanOrEqual(most);
  });
});
