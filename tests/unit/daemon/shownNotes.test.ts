import { expect, test } from 'vitest';
import { shownNotes } from '../../../src/daemon/tools/shownNotes.ts';
import { call, int, nothing } from '../report/samples.ts';

const bare = call(1, 'pay', { arguments: [], returns: nothing, file: null });
const known = call(2, 'pay', { arguments: [{ name: 'cents', value: int(5) }] });

test('[query.show] a value that is asked for and is in no call is named with the reason', () => {
  expect(shownNotes([bare], ['args[0]', 'return'])).toEqual([
    expect.stringMatching(/^"args\[0\]" is in none of these calls: .*no debug information/),
    expect.stringMatching(/^"return" is in none/),
  ]);
  expect(shownNotes([known], ['cent', 'args[0]'])).toEqual([
    '"cent" is in none of these calls: they have cents.',
  ]);
});

test('[query.show] what one of the calls has is not missing', () => {
  expect(shownNotes([bare, known], ['cents'])).toEqual([]);
  expect(shownNotes([], ['cents'])).toEqual([]);
});
