import { execFileSync } from 'node:child_process';

/**
 * Whether the line of an instruction, with the calls that were inlined (`a.c:3 < a.c:9`), is right: that of addr2line, or
 * of the last statement that begins where the row of the instruction does, which gdb names.
 */
export function linesOfStatements(
  program: string,
): (address: number, ours: string, addr2line: string) => boolean {
  const statements = statementsOf(program);
  return (address, ours, addr2line) => {
    if (ours === addr2line) return true;
    let row = address;
    while (!statements.has(row) && row > 0) row--;
    return ours === [statements.get(row), ...addr2line.split(' < ').slice(1)].join(' < ');
  };
}

/** By the address of rows in a program's line table the last statement there, as binutils reads them; '': none begins. */
function statementsOf(program: string): ReadonlyMap<number, string> {
  const table = execFileSync('objdump', ['--dwarf=decodedline', program], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const statements = new Map<number, string>();
  for (const row of table.split('\n')) {
    const [, file, line, address, isStatement] =
      /^(\S+) +(\d+) +0x([0-9a-f]+)(?: +\d+)?( +x)?/.exec(row) ?? [];
    if (address === undefined) continue;
    const at = Number.parseInt(address, 16);
    const known = statements.get(at) ?? '';
    statements.set(at, isStatement === undefined ? known : `${file}:${line}`);
  }
  return statements;
}
