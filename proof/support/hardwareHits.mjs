/* How often a program comes to addresses, as the processor's breakpoint registers count, which change no byte of it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers of a thread. */
const atOnce = 4;
/** Where Linux loads a program that may lie anywhere, when it chooses no other place. */
const base = 0x555555554000;

/** A run for every four link-time addresses; `input`: a line that it reads, `env`: variables. Throws without perf. */
export function hitsAt({ program, args, input, env = process.env }, addresses) {
  const folder = mkdtempSync(join(tmpdir(), 'hits-'));
  const told = join(folder, 'told');
  const hits = [];
  for (let from = 0; from < addresses.length; from += atOnce) {
    const events = addresses
      .slice(from, from + atOnce)
      .map((address) => `mem:0x${(base + address).toString(16)}:x:u`);
    const words = ['stat', '-x,', '-o', told, '-e', events.join(','), 'setarch', '-R', program];
    execFileSync('perf', [...words, ...args], {
      input: `${input}\n`,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const rows = readFileSync(told, 'utf8').split('\n');
    hits.push(
      ...rows.filter((row) => row.includes('mem:')).map((row) => Number(row.split(',')[0])),
    );
  }
  rmSync(folder, { recursive: true });
  return hits;
}
