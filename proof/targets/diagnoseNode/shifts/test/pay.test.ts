import { expect, test } from 'vitest';
import { bonuses } from '../src/pay.ts';

process.env['TZ'] = 'Asia/Tokyo';

test('bonuses go by the hour at Greenwich', () => {
  expect(bonuses(['Eva 2026-02-03T23:10:00Z', 'Tom 2026-02-03T08:00:00Z'])).toEqual({
    Eva: 40,
    Tom: 0,
  });
});
