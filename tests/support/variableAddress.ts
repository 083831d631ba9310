import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Run-time address of a variable, by the linker's table and the memory map. */
export function variableAddress(pid: number, path: string, name: string): string {
  const symbols = execFileSync('nm', [path], { encoding: 'utf8' });
  const [, offset = '0'] = new RegExp(`^([0-9a-f]+) \\w .*${name}`, 'm').exec(symbols) ?? [];
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const [base = '0'] = (maps.find((line) => line.endsWith(path)) ?? '').split('-');
  return `0x${(BigInt(`0x${base}`) + BigInt(`0x${offset}`)).toString(16)}`;
}
