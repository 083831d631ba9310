/**
 * The line of an instruction, from the table of its code object: `offset` in bytes from the code's beginning. Each
 * version has another form (Objects/lnotab_notes.txt, Objects/locations.md).
 */
export function lineAt(minor: number, table: Buffer, firstLine: number, offset: number): number {
  if (minor >= 11) return byLocations(table, firstLine, offset);
  return minor === 10 ? byRanges(table, firstLine, offset) : byNotes(table, firstLine, offset);
}

/** 3.9: pairs of what code and line grow by. */
function byNotes(table: Buffer, firstLine: number, offset: number): number {
  let line = firstLine;
  let code = 0;
  for (let at = 0; at + 1 < table.length; at += 2) {
    code += table.readUInt8(at);
    if (code > offset) break;
    line += table.readInt8(at + 1);
  }
  return line;
}

/** 3.10: pairs of the length of a range and what the line grows by before it; -128: it has none. */
function byRanges(table: Buffer, firstLine: number, offset: number): number {
  let line = firstLine;
  let code = 0;
  for (let at = 0; at + 1 < table.length; at += 2) {
    const grows = table.readInt8(at + 1);
    if (grows !== -128) line += grows;
    code += table.readUInt8(at);
    if (code > offset) break;
  }
  return line;
}

const location = { none: 15, long: 14, noColumns: 13, firstOneLine: 10 } as const;
const UNIT = 2;

/** 3.11 and newer: a first byte with its highest bit says the kind and how many units of code it is about. */
function byLocations(table: Buffer, firstLine: number, offset: number): number {
  let line = firstLine;
  let code = 0;
  for (let at = 0; at < table.length;) {
    const first = table.readUInt8(at);
    const kind = (first >> 3) & 15;
    if (kind === location.long || kind === location.noColumns) line += signed(table, at + 1);
    else if (kind >= location.firstOneLine && kind < location.noColumns)
      line += kind - location.firstOneLine;
    code += ((first & 7) + 1) * UNIT;
    if (code > offset) break;
    for (at++; at < table.length && table.readUInt8(at) < 0x80;) at++;
  }
  return line;
}

/** Six bits a byte, the lowest first; the lowest of all is the sign. */
function signed(table: Buffer, from: number): number {
  let value = 0;
  let factor = 1;
  for (let at = from; at < table.length; at++) {
    const byte = table.readUInt8(at);
    value += (byte & 63) * factor;
    factor *= 64;
    if ((byte & 64) === 0) break;
  }
  const half = Math.floor(value / 2);
  return value % 2 === 1 ? -half : half;
}
