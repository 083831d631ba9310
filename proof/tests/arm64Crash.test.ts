import { expect } from 'vitest';
import { emulatedCrash } from './support/emulatedCore.ts';
import { itNeeds } from '../../tests/support/needs.ts';
import { buildForArm64 } from '../../tests/support/targets.ts';

const called = ['inner', 'middle', 'middle', 'middle', 'middle', 'main'];

for (const flags of [
  ['-O0'],
  ['-O1'],
  ['-O2', '-mbranch-protection=standard', '-fomit-frame-pointer'],
]) {
  itNeeds(
    'arm64Emulator',
    `[crash.arm64] a core file of arm64 tells the stack and its variables, ${flags.join(' ')}`,
    () => {
      const program = buildForArm64('crash/nested.c', ['-static', ...flags]);
      const report = emulatedCrash(program, 'plain');
      const frames = report.threads[0]?.frames ?? [];
      const names = frames.map((frame) => frame.function);
      expect(names.slice(0, called.length)).toEqual(called);
      expect(names.at(-1)).toBe('_start');
      expect(report.threads[0]?.problem).toBeNull();
      expect(report.signal).toMatchObject({ name: 'SIGSEGV' });
      expect(report.registers.map(({ name }) => name).slice(-3)).toEqual(['x30', 'sp', 'pc']);
      const values = new Map(frames[0]?.variables.map(({ name, value }) => [name, value]));
      expect(values.get('sum')).toMatchObject({ kind: 'int', text: '1005' });
      // The emulator does not write the vector registers.
      const by = flags[0] === '-O1' ? { kind: 'notCaptured' } : { kind: 'float', value: 2.5 };
      expect(values.get('by')).toMatchObject(by);
      const local = frames[1]?.variables.find(({ name }) => name === 'local');
      expect(JSON.stringify(local?.value)).toContain('near');
      expect(frames.every(({ isGuess }) => !isGuess)).toBe(true);

      const handled = emulatedCrash(program, 'handled');
      const interrupted = handled.threads[0]?.frames.map((frame) => frame.function) ?? [];
      expect(
        interrupted
          .slice(interrupted.indexOf('on_fault') + 1)
          .filter((name) => called.includes(name ?? '')),
      ).toEqual(called);
      expect(handled.threads[0]?.problem).toBeNull();
    },
    120_000,
  );
}
