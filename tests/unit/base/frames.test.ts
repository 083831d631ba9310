import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader, FrameTooLong } from '../../../src/base/frames.ts';

describe('frames', () => {
  it('come back whole and in order, however the stream is cut', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    fc.assert(
      fc.property(
        bodies,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (sent, cuts) => {
          const stream = Buffer.concat(sent.map((body) => encodeFrame(body)));
          const reader = new FrameReader(300);
          const got: Buffer[] = [];
          for (let at = 0, i = 0; at < stream.length; i++) {
            const size = cuts[i % cuts.length] ?? 1;
            got.push(...reader.push(stream.subarray(at, at + size)));
            at += size;
          }
          expect(got.map((body) => [...body])).toEqual(sent.map((body) => [...body]));
        },
      ),
    );
  });

  it('join several parts into one body', () => {
    const frame = encodeFrame(Uint8Array.of(1), Uint8Array.of(2, 3));
    expect([...frame]).toEqual([3, 0, 0, 0, 1, 2, 3]);
  });

  it('beyond the limit are refused before they are read', () => {
    const reader = new FrameReader(10);
    expect(() => reader.push(Buffer.from([11, 0, 0, 0]))).toThrow(FrameTooLong);
  });
});
