import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EngineProgram, runPlain, type Ran } from '../../tests/support/engineProgram.ts';
import { allStatements } from '../../tests/support/statements.ts';
import { buildTarget } from '../../tests/support/targets.ts';

interface Asked {
  readonly program: string;
  readonly args: readonly string[];
  /** Sources whose statements are patched. */
  readonly files: string;
  /** What the program reads once they are. */
  readonly input: string;
  /** It counts its lines itself: an untraced run of it would be counted, and is left out. */
  readonly counts?: boolean;
  /** What is run beside it then, and has to succeed; none: the program ends by itself. */
  readonly work?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
  };
}

/** PROGRAM: one of those that proof/statements.proof.mjs builds; TOLD: a file for what was seen. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- statements.proof.mjs writes it
const asked: Asked | null = JSON.parse(process.env['PROGRAM'] ?? 'null');
const most = 4000;

/** Output and errors come by two ways. */
const inAnyOrder = ({ output, ...ran }: Ran) => ({ ...ran, output: output.split('\n').toSorted() });

/** The program's output is read meanwhile: it would wait at a full pipe. */
async function finished({ command, args, cwd }: NonNullable<Asked['work']>) {
  return await new Promise<{ error: Error | null; stdout: string }>((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 1 << 28 }, (error, stdout) => {
      resolve({ error, stdout });
    });
  });
}

test('[break.share] [break.harmless] all statements of a program are patched at once, nine in ten by jumps', async () => {
  const { program, args, files, input, counts, work } = asked ?? {
    program: buildTarget('engine/plain.c', ['-O0', '-pthread']),
    args: [],
    files: 'plain\\.c$',
    input: 'go',
  };
  const statements = allStatements(program, new RegExp(files)).toSorted(
    (a, b) => a.offset - b.offset,
  );
  const plain = work || counts ? null : await runPlain(program, input, args);
  await using traced = await EngineProgram.start(program, { ringBytes: 1 << 15, args });
  const codes: string[] = [];
  const began = performance.now();
  for (let from = 0; from < statements.length; from += most)
    // Every hit is counted, none recorded.
    codes.push(
      ...(await traced.armStatements(statements.slice(from, from + most), from, {
        after: Number.MAX_SAFE_INTEGER,
      })),
    );
  const ms = Math.round(performance.now() - began);
  let outcome = '';
  if (work) {
    const ran = await finished(work);
    outcome = ran.stdout;
    expect(ran.error, outcome.slice(-4000)).toBeNull();
  } else {
    const ran = await traced.end(input);
    if (plain) expect(inAnyOrder(ran)).toEqual(inAnyOrder(plain));
  }
  const jumps = codes.filter((code) => code === 'hooked').length;
  const { counted } = traced.rings();
  if (process.env['TOLD']) {
    const rows = statements.map(({ file, line, address }, i) => [
      file,
      line,
      address,
      codes[i] === 'hooked' ? (counted.get(i) ?? 0) : null,
    ]);
    const told = { statements: codes.length, jumps, ms, outcome, rows };
    appendFileSync(process.env['TOLD'], JSON.stringify(told));
  }
  expect(jumps).toBeGreaterThan(0.9 * codes.length);
}, 3_000_000);
