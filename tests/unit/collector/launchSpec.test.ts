import { describe, expect, it } from 'vitest';
import { encodeLaunchSpec } from '../../../src/collector/supervisor/launchSpec.ts';
import {
  supervisorSpec,
  supervisorSpecFlag,
  supervisorWire,
} from '../../../src/protocol/supervisor.ts';

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
    expect(bytes.readUInt32LE(supervisorSpec.magic)).toBe(supervisorWire.specMagic);
    expect(bytes.readUInt32LE(supervisorSpec.argCount)).toBe(2);
    expect(bytes.readUInt32LE(supervisorSpec.envCount)).toBe(1);
    const texts: string[] = [];
    for (let at: number = supervisorSpec.bytes; at < bytes.length;) {
      const length = bytes.readUInt32LE(at);
      texts.push(bytes.toString('utf8', at + 4, at + 4 + length));
      expect(bytes.readUInt8(at + 4 + length)).toBe(0);
      at += 5 + length;
    }
    expect(texts).toEqual(['/bin/ä', '/', 'a', '', 'K=v=w']);
  });

  it('carries the size of a terminal', () => {
    const bytes = encodeLaunchSpec({ ...spec, stdio: { columns: 132, rows: 50 } });
    expect(bytes.readUInt32LE(supervisorSpec.flags)).toBe(
      supervisorSpecFlag.stopAtExec | supervisorSpecFlag.terminal,
    );
    expect(bytes.readUInt32LE(supervisorSpec.columns)).toBe(132);
    expect(bytes.readUInt32LE(supervisorSpec.rows)).toBe(50);
  });

  it('refuses what the kernel could not take', () => {
    expect(() => encodeLaunchSpec({ ...spec, argv: ['a\0b'] })).toThrow('NUL');
    expect(() => encodeLaunchSpec({ ...spec, argv: ['x'.repeat(9 << 20)] })).toThrow('8 MB');
  });
});
