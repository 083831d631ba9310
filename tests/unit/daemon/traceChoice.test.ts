import { describe, expect, test } from 'vitest';
import { adapters } from '../../../src/testing/adapters.ts';
import { bodyOf, callsIn, sourceText } from '../../../src/testing/testSource.ts';
import { targetSource } from '../../support/targets.ts';

const shop = targetSource('../../proof/targets/diagnose/shop/shopTest.cpp');
const calendar = targetSource('../../proof/targets/diagnose/calendar/src/account.rs');

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
