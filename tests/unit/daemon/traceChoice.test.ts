import { describe, expect, test } from 'vitest';
import { nearestPassing } from '../../../src/daemon/testing/traceChoice.ts';
import type { TestResult } from '../../../src/model/tests/testReport.ts';
import { adapters } from '../../../src/testing/adapters.ts';
import { bodyOf, callsIn, sourceText } from '../../../src/testing/testSource.ts';
import { targetSource } from '../../support/targets.ts';

const shop = targetSource('../../proof/targets/diagnose/shop/shopTest.cpp');
const calendar = targetSource('../../proof/targets/diagnose/calendar/src/account.rs');

function failed(id: string, file: string): TestResult {
  const failure = { message: '', expected: null, actual: null, frames: [], output: '' };
  return {
    id,
    name: id,
    file,
    line: null,
    durationMs: null,
    reason: null,
    outcome: 'failed',
    failure,
  };
}

const chosen = (id: string, file: string | null = shop) => ({ id, name: id, file });

describe('[test.diagnose] the text of a test', () => {
  test.each([
    ['googletest', 'Cart.ForgetsWhatIsRemoved', shop, ['add', 'add', 'total', 'remove', 'total']],
    ['googletest', 'Price.OneIsFullPrice', shop, ['shop::lineTotal']],
    [
      'cargo',
      'lib account::tests::withdraws_with_a_fee',
      calendar,
      ['Account::default', 'deposit', 'withdraw'],
    ],
  ] as const)('%s: what %s calls', (framework, id, file, expected) => {
    const declaration = adapters[framework].inCode?.declaration(chosen(id)) ?? /(?!)/;
    expect(callsIn(bodyOf(sourceText(file) ?? '', declaration) ?? '')).toEqual(expected);
  });

  test('is not there for a test that is declared elsewhere', () => {
    expect(bodyOf(sourceText(shop) ?? '', /\(\s*Cart\s*,\s*Flies\s*\)/)).toBeNull();
    expect(sourceText('/no/such/file.cpp')).toBeNull();
  });
});

describe('[test.diagnose] a failed test is compared with the passing one', () => {
  const passing = ['Price.OneIsFullPrice', 'Cart.NeverCostsLessThanNothing', 'Cart.SumsItsLines'];

  test('of its file that calls most of the same', () => {
    const beside = passing.map((id) => chosen(id));
    const found = nearestPassing(
      adapters.googletest,
      failed('Cart.ForgetsWhatIsRemoved', shop),
      beside,
    );
    expect(found?.id).toBe('Cart.SumsItsLines');
  });

  test('never with itself or one of another file and suite', () => {
    const others = [chosen('Cart.Total'), chosen('Stock.KnowsWhatIsThere', '/elsewhere/stock.cpp')];
    expect(nearestPassing(adapters.googletest, failed('Cart.Total', shop), others)).toBeNull();
  });
});
