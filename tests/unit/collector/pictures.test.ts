import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotate } from '../../../src/collector/ui/annotate.ts';
import { pixelsOfPng } from '../../../src/collector/ui/page/pngPixels.ts';
import { pngOf, type Picture } from '../../../src/collector/ui/picture.ts';

/** Pixels of few colours, as windows have, some rows as those above them. */
const pictures = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 12 }),
    colours: fc.array(fc.integer({ min: 0, max: 0xffffff }), { minLength: 1, maxLength: 5 }),
    seed: fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }),
  })
  .map(({ width, height, colours, seed }): Picture => {
    const pixels = Buffer.alloc(width * height * 4);
    for (let at = 0; at < width * height; at++) {
      const isAbove = at >= width && (seed[0] ?? 0) % 3 > 0 && Math.floor(at / width) % 2 === 1;
      const place = isAbove ? at - width : at;
      const word = isAbove
        ? pixels.readUInt32LE(place * 4)
        : (colours[(seed[at % seed.length] ?? 0) % colours.length] ?? 0);
      pixels.writeUInt32LE(word, at * 4);
    }
    return { width, height, pixels };
  });

test('[ui.screenshot] a picture is written as PNG with each of its pixels', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      expect(pixelsOfPng(await pngOf(picture))).toEqual(picture);
    }),
  );
});

test('[ui.screenshot] rows of one colour cost nothing, whichever colours there are', async () => {
  const [width, height] = [640, 400];
  const pixels = Buffer.alloc(width * height * 4);
  for (let at = 0; at < width * height; at++)
    pixels.writeUInt32LE(0x102030 * Math.floor(at / width / 40), at * 4);
  const file = await pngOf({ width, height, pixels });
  expect(file.length).toBeLessThan(4000);
  const length = file.readUInt32BE(33);
  expect(inflateSync(file.subarray(41, 41 + length)).length).toBe((width * 3 + 1) * height);
});

test('[ui.screenshot] boxes that leave a picture are drawn as far as it goes', () => {
  const [width, height] = [60, 30];
  const picture = { width, height, pixels: Buffer.alloc(width * height * 4) };
  const omitted = annotate(picture, [
    { id: 'a', box: { x: 2, y: 4, width: 100, height: 20 } },
    { id: 'b', box: { x: 200, y: 200, width: 5, height: 5 } },
  ]);
  const isDrawn = (x: number, y: number): boolean =>
    picture.pixels.readUInt32LE((y * width + x) * 4) !== 0;
  expect(omitted).toEqual(['b']);
  expect([isDrawn(20, 4), isDrawn(59, 4), isDrawn(30, 23), isDrawn(59, 23)]).toEqual(
    Array(4).fill(true),
  );
  expect([isDrawn(30, 3), isDrawn(59, 24), isDrawn(30, 26)]).toEqual(Array(3).fill(false));
});
