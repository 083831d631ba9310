import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignedCopy } from '../../../src/db/blockFormat.ts';
import { PackedCaptures } from '../../../src/db/packedCaptures.ts';
import { unpack } from '../../../src/db/packedPayload.ts';
import { CallRows } from '../../../src/db/writer/callRows.ts';
import { PayloadPacker } from '../../../src/db/writer/payloadPacker.ts';

/** Words as they are captured: mostly small, alike, or of any size. */
const word = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0xfffffff0, max: 0xffffffff }),
  fc.integer({ min: 0, max: 0xffffffff }),
);
const call = fc.record({
  fn: fc.integer({ min: 0, max: 3 }),
  enter: fc.array(word, { maxLength: 6 }),
  returned: fc.array(word, { maxLength: 2 }),
});

test('[store.blocks] what a full block packs is read as the same bytes, all at once, some of a function and call by call', () => {
  const packer = new PayloadPacker();
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 0, max: 3 }),
      (calls, before) => {
        const rows = new CallRows();
        for (const { fn, enter, returned } of [...calls.slice(0, before), ...calls]) {
          const row = rows.add(fn, 0, 0, 0);
          const words = Uint32Array.from([...enter, ...returned]);
          rows.enterAt[row] = rows.keep(words, 0, enter.length);
          rows.enterBytes[row] = enter.length * 4;
          rows.returnAt[row] = rows.keep(words, enter.length, words.length);
          rows.returnBytes[row] = returned.length * 4;
        }
        const base = rows.count - calls.length;
        const numbers = [...new Set(calls.map(({ fn }) => fn))];
        const groups = numbers.map((fn) =>
          calls.flatMap((one, row) => (one.fn === fn ? [row] : [])),
        );
        const posting = Uint16Array.from(groups.flat());
        const perEntry = Uint32Array.from(groups, (group) => group.length);
        const packed = packer.pack(rows, base, {
          entries: groups.length,
          calls: perEntry,
          posting,
        });
        const enterAt = new Uint32Array(calls.length);
        const returnAt = new Uint32Array(calls.length);
        let total = 0;
        for (const [row, { enter, returned }] of calls.entries()) {
          enterAt[row] = total;
          returnAt[row] = total + enter.length * 4;
          total += (enter.length + returned.length) * 4;
        }
        const places = {
          packed: alignedCopy(packed),
          calls: perEntry,
          posting,
          enterBytes: calls.map(({ enter }) => enter.length * 4),
          returnBytes: calls.map(({ returned }) => returned.length * 4),
        };
        const words = unpack({ ...places, enterAt, returnAt, total });
        const captures = new PackedCaptures(places);
        for (const [row, { fn, enter, returned }] of calls.entries()) {
          const one = captures.wordsOf(numbers.indexOf(fn), row);
          expect([...one.words]).toEqual([...enter, ...returned]);
          expect(one.entered).toBe(enter.length);
        }
        for (const entry of numbers.keys()) {
          const some = Uint16Array.from(groups[entry]?.filter((row) => row % 3 !== 1) ?? []);
          const alone = captures.of(entry, some);
          for (const [i, row] of some.entries()) {
            const [from, middle, to] = [alone.enterAt[i], alone.returnAt[i], alone.endAt[i]];
            const own = (start = 0, end = 0): number[] => [
              ...alone.words.subarray(start / 4, end / 4),
            ];
            expect(own(from, middle)).toEqual(calls[row]?.enter);
            expect(own(middle, to)).toEqual(calls[row]?.returned);
          }
          for (const columns of [...captures.entered(entry), ...captures.returned(entry)]) {
            for (let at = 0; at < columns.words; at++) {
              const column = columns.column(at);
              expect(Array.from(columns.rows, (_row, i) => columns.word(at, i))).toEqual([
                ...column,
              ]);
            }
          }
        }
        expect([...words]).toEqual(calls.flatMap(({ enter, returned }) => [...enter, ...returned]));
      },
    ),
  );
});
