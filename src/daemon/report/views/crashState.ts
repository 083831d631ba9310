import { escaped } from '../../../base/visible.ts';
import type { CrashReport, KeyAddress, MappedRange } from '../../../model/endings/crashReport.ts';
import { lastPart, wordAsText } from '../../../model/endings/crashLine.ts';
import { grouped } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';

/** How much of it is told. `few`: registers that say something of the fault. */
export interface StateAmount {
  readonly registers: 'all' | 'few';
  readonly openFiles: number;
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Registers, memory map and open files of the process that died, told shortly. */
export function stateSections(
  report: CrashReport,
  projectRoot: string,
  amount: StateAmount,
): Section[] {
  return [
    { title: 'registers', lines: registerLines(report, amount) },
    {
      title: 'memory',
      lines: report.addresses.map((found) => `  ${addressText(found, report)}`),
    },
    { title: 'open files', lines: fileLines(report, projectRoot, amount) },
  ];
}

type Register = CrashReport['registers'][number];

/** Further ones follow in the order of their numbers. */
const firstRegisters = ['rip', 'rsp', 'rbp', 'pc', 'sp', 'x29'];

/** Those that hold the same value are told together. */
function registerLines(report: CrashReport, amount: StateAmount): string[] {
  const wanted = report.registers
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .filter(
      ({ name, value }) =>
        amount.registers === 'all' ||
        firstRegisters.includes(name) ||
        registerMark(value, report) !== '',
    );
  const byValue = new Map<string, string[]>();
  for (const { name, value } of wanted) byValue.set(value, [...(byValue.get(value) ?? []), name]);
  const texts = [...byValue].map(
    ([value, names]) => `${names.join(' = ')} ${value}${registerMark(value, report)}`,
  );
  const rest = report.registers.length - wanted.length;
  if (rest > 0 && texts.length > 0) texts.push(`${rest} more`);
  return texts.length === 0 ? [] : [`  ${texts.join(' · ')}`];
}

function rankOf({ name }: Register): number {
  const rank = firstRegisters.indexOf(name);
  return rank < 0 ? firstRegisters.length : rank;
}

const nearBytes = 0x1000n;
const lowestPointer = 0x10000n;
const addressBits = 47n;

/** What a register's value has to do with the fault; empty when nothing. */
function registerMark(text: string, { signal, place: at }: CrashReport): string {
  const value = BigInt(text);
  if (at.kind === 'notCanonical')
    return isCanonical(value) ? '' : ` (no possible address${textMark(value)})`;
  if (signal.address === null || at.kind === 'none') return '';
  const fault = BigInt(signal.address);
  if (value === fault) return ' (the fault address)';
  if (value < lowestPointer || fault < lowestPointer) return '';
  const far = fault - value;
  if (far > nearBytes || far < -nearBytes) return '';
  const sign = far > 0n ? '−' : '+';
  return ` (the fault address ${sign} 0x${(far < 0n ? -far : far).toString(16)})`;
}

function isCanonical(value: bigint): boolean {
  const high = value >> addressBits;
  return high === 0n || high === (1n << (64n - addressBits)) - 1n;
}

function textMark(value: bigint): string {
  const text = wordAsText(value);
  return text === '' ? '' : `: the text${text}`;
}

function addressText(found: KeyAddress, { place: at }: CrashReport): string {
  const head = `${found.role} ${found.address}: `;
  if (found.mapping !== null) return head + rangeText(found.mapping);
  if (BigInt(found.address) < lowestPointer) return `${head}not mapped, the first page`;
  const near = found.nearest
    .filter(({ distance }) => distance < farBytes)
    .map(({ side, distance, range }) => {
      const way = distance === 0 ? 'right' : sizeText(distance);
      return `${way} ${side === 'below' ? 'behind' : 'before'} ${rangeText(range)}`;
    });
  const guard = at.kind === 'stackOverflow' && found.role !== 'pc' ? ' (below the stack)' : '';
  return `${head}not mapped${guard}; ${near.length === 0 ? 'nothing within 1 GB' : near.join(', ')}`;
}

const farBytes = 1 << 30;

/** `libc.so.6 r-xp`, `[stack] rw-p 132 KB`. */
function rangeText({ path, protection, bytes }: MappedRange): string {
  const name = path === '' ? 'anonymous' : escaped(path.startsWith('/') ? lastPart(path) : path);
  return `${name} ${protection} ${sizeText(bytes)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 0x1000) return `0x${bytes.toString(16)} bytes`;
  const kilobytes = Math.round(bytes / 1024);
  return kilobytes < 10_000 ? `${grouped(kilobytes)} KB` : `${grouped(kilobytes / 1024)} MB`;
}

/** One line; those that are the same are told together. */
function fileLines({ openFiles }: CrashReport, projectRoot: string, amount: StateAmount): string[] {
  if (openFiles === null) return [];
  const byTarget = new Map<string, number[]>();
  for (const { number, target } of openFiles.files)
    byTarget.set(target, [...(byTarget.get(target) ?? []), number]);
  const all = [...byTarget];
  const shown = all.slice(0, amount.openFiles);
  const texts = shown.map(
    ([target, numbers]) => `${rangesText(numbers)} ${place(target, null, projectRoot)}`,
  );
  const rest =
    openFiles.more + all.slice(amount.openFiles).reduce((sum, [, { length }]) => sum + length, 0);
  if (rest > 0) texts.push(`${grouped(rest)} more`);
  return [texts.length === 0 ? '  none' : `  ${texts.join(' · ')}`];
}

/** `4, 6–31`: of ascending numbers. */
function rangesText(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges
    .map(([first, last]) => (last - first < 2 ? pairText(first, last) : `${first}–${last}`))
    .join(', ');
}

function pairText(first: number, last: number): string {
  return first === last ? String(first) : `${first}, ${last}`;
}
