import { describe, expect, it } from 'vitest';
import { encodeLaunchSpec } from '../../../src/collector/supervisor/launchSpec.ts';
import { keeperSpec, keeperSpecFlag, keeperWire } from '../../../src/protocol/supervisor.ts';

const spec = {
  path: '/bin/ä',
  argv: ['a', ''],
  env: { K: 'v=w' },
  cwd: '/',
  stdin: 'open',
  stdio: 'pipes',
  stopAtExec: true,
} as const;

describe('a launch spec', () => {
  it('carries every text with its length and a NUL', () => {
    const bytes = encodeLaunchSpec(spec);
    expect(bytes.readUInt32LE(keeperSpec.magic)).toBe(keeperWire.specMagic);
    expect(bytes.readUInt32LE(keeperSpec.argCount)).toBe(2);
    expect(bytes.readUInt32LE(keeperSpec.envCount)).toBe(1);
    const texts: string[] = [];
    for (let at: number = keeperSpec.bytes; at < bytes.length;) {
      const length = bytes.readUInt32LE(at);
      texts.push(bytes.toString('utf8', at + 4, at + 4 + length));
      expect(bytes.readUInt8(at + 4 + length)).toBe(0);
      at += 5 + length;
    }
    expect(texts).toEqual(['/bin/ä', '/', 'a', '', 'K=v=w']);
  });

  it('carries the size of a terminal', () => {
    const bytes = encodeLaunchSpec({ ...spec, stdio: { columns: 132, rows: 50 } });
    expect(bytes.readUInt32LE(keeperSpec.flags)).toBe(
      keeperSpecFlag.stopAtExec | keeperSpecFlag.terminal,
    );
    expect(bytes.readUInt32LE(keeperSpec.columns)).toBe(132);
    expect(bytes.readUInt32LE(keeperSpec.rows)).toBe(50);
  });

  it('refuses what the kernel could not take', () => {
    expect(() => encodeLaunchSpec({ ...spec, argv: ['a\0b'] })).toThrow('NUL');
    expect(() => encodeLaunchSpec({ ...spec, argv: ['x'.repeat(9 << 20)] })).toThrow('8 MB');
  });
});
