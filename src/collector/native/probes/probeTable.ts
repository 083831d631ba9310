import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import type { ThreadFilter } from '../../../model/probes/probe.ts';
import { probeEntry } from '../../../protocol/statementProbe.ts';
import { armEntry, watchEntry } from '../../../protocol/record.ts';

/** What is recorded at a statement, as the engine takes it once its addresses are filled in. */
export interface ProbeRow {
  readonly number: number;
  /** Of the condition; none: every hit meets it. */
  readonly condition: readonly bigint[];
  /** Rows of `watchEntry`. */
  readonly values: readonly Buffer[];
  /** Values or the condition are in vector registers. */
  readonly hasVectors: boolean;
  /** What is put together of values in several places; none but of Go. */
  readonly gathered: readonly bigint[];
  readonly after: number;
  readonly every: number;
  /** 0: any number. */
  readonly most: number;
  /** Of an invariant: the number of what all its places share. */
  readonly check: number | null;
  readonly thread: ThreadFilter;
}

/** The table of the engine's probe call (protocol/record `probeEntry`). */
export function encodeProbeTable(rows: readonly ProbeRow[]): Buffer {
  const table = Buffer.alloc(rows.length * probeEntry.bytes);
  for (const [index, row] of rows.entries()) {
    const at = index * probeEntry.bytes;
    table.writeUInt32LE(row.number, at + probeEntry.fn);
    table.writeUInt32LE(row.condition.length, at + probeEntry.words);
    table.writeUInt32LE(row.values.length, at + probeEntry.values);
    table.writeUInt32LE(row.hasVectors ? 1 : 0, at + probeEntry.hasVectors);
    table.writeBigUInt64LE(BigInt(row.after), at + probeEntry.after);
    table.writeBigUInt64LE(BigInt(row.every), at + probeEntry.every);
    table.writeBigUInt64LE(BigInt(row.most), at + probeEntry.most);
    table.writeBigUInt64LE(row.check === null ? 0n : BigInt(row.check) + 1n, at + probeEntry.check);
    table.writeBigUInt64LE(BigInt(row.thread.id), at + probeEntry.thread);
    table.write(row.thread.name, at + probeEntry.threadName, 15);
    for (const [i, word] of row.condition.entries())
      table.writeBigUInt64LE(BigInt.asUintN(64, word), at + probeEntry.code + i * 8);
    for (const [i, word] of row.gathered.entries())
      table.writeBigUInt64LE(word, at + probeEntry.gathered + i * 8);
    for (const [i, value] of row.values.entries())
      value.copy(table, at + probeEntry.valueRows + i * watchEntry.bytes);
  }
  return table;
}

const mostParts = 7;

/** The statement's row of the engine's arm call; null: its function has too many parts. `base`: where its file begins in memory. */
export function encodeStatement(
  statement: Pick<
    FoundStatement,
    'offset' | 'before' | 'size' | 'otherParts' | 'rowsBehind' | 'hasLandingPads'
  >,
  number: number,
  base: bigint,
  byTrap: boolean,
): Buffer | null {
  const { offset, before, size, otherParts, rowsBehind, hasLandingPads } = statement;
  if (otherParts.length > mostParts) return null;
  const row = Buffer.alloc(armEntry.bytes);
  const behind = BigInt(rowsBehind);
  row.writeBigUInt64LE(base + BigInt(offset), armEntry.address);
  row.writeUInt32LE(size, armEntry.size);
  row.writeUInt32LE(number, armEntry.fn);
  row.writeUInt8(armEntry.isProbe | (byTrap ? armEntry.byTrap : 0), armEntry.flags);
  row.writeUInt8(otherParts.length * 2, armEntry.opCount);
  row.writeBigUInt64LE(
    BigInt(before) | ((hasLandingPads ? behind : 0n) << 32n) | (behind << 40n),
    armEntry.returnOp,
  );
  for (const [i, part] of otherParts.entries()) {
    row.writeBigUInt64LE(base + BigInt(part.offset), armEntry.ops + i * 16);
    row.writeBigUInt64LE(BigInt(part.bytes), armEntry.ops + i * 16 + 8);
  }
  return row;
}
