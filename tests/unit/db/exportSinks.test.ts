import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sinkFor } from '../../../src/db/export/sinks.ts';

test('[export.formats] a file holds every piece, however large, in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-sink-'));
  const path = join(folder, 'out');
  writeFileSync(path, '');
  const sink = sinkFor({ kind: 'file', path });
  try {
    const pieces: (string | Uint8Array)[] = [];
    for (let i = 0; i < 3000; i++) pieces.push(`${i} é漢😀`.repeat(60));
    pieces.splice(
      1000,
      0,
      'ü'.repeat(700_000),
      '',
      Buffer.alloc(1 << 20, 7),
      Buffer.alloc(3 << 20, 9),
    );
    for (const [i, piece] of pieces.entries()) {
      sink.add(piece);
      if (i % 997 === 0) await sink.flush();
    }
    await sink.finish();
    const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    expect(sink.bytes).toBe(whole.length);
    expect(readFileSync(path).equals(whole)).toBe(true);
  } finally {
    sink.close();
    rmSync(folder, { recursive: true });
  }
});
