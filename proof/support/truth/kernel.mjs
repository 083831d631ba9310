/* What the kernel says of a process and its threads: nothing of it passes through Strobe. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null; // gone
  }
}

/** One letter of proc(5); `X` for a thread that is gone. */
export function stateOf(pid, tid = pid) {
  const stat = read(`/proc/${pid}/task/${tid}/stat`);
  return stat === null ? 'X' : stat[stat.lastIndexOf(')') + 2];
}

export function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return []; // gone
  }
}

/** The process that traces a thread; 0: none. */
export function tracerOf(pid, tid) {
  return Number(/^TracerPid:\s*(\d+)/m.exec(read(`/proc/${pid}/task/${tid}/status`) ?? '')?.[1]);
}

/** Stack pointer and program counter of a thread that stands still, as bigints; null: it runs. */
export function registersOf(pid, tid) {
  const words = (read(`/proc/${pid}/task/${tid}/syscall`) ?? '').trim().split(' ');
  return words.length < 3 ? null : words.slice(-2).map(BigInt);
}

export function memoryOf(pid, address, length) {
  const file = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, Number(address));
    return bytes;
  } finally {
    closeSync(file);
  }
}

export function writeMemory(pid, address, bytes) {
  const file = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.length, Number(address));
  } finally {
    closeSync(file);
  }
}

const trap = 0xcc;
const jump = 0xe9;
const jumpBytes = 5;

/** Offsets of breakpoint instructions in the code of a program that its file does not have; jumps of hooks are left out. */
export function trapsIn(pid, program) {
  const file = readFileSync(program);
  const rows = (read(`/proc/${pid}/maps`) ?? '').split('\n');
  const traps = [];
  for (const row of rows) {
    const [range, rights, offset] = row.split(/\s+/);
    if (!row.endsWith(program) || rights[2] !== 'x') continue;
    const [start, end] = range.split('-').map((word) => Number.parseInt(word, 16));
    const from = Number.parseInt(offset, 16);
    const code = memoryOf(pid, start, end - start);
    for (let i = 0; i < code.length && from + i < file.length; i++) {
      if (code[i] === file[from + i]) continue;
      if (code[i] === jump) i += jumpBytes - 1;
      else if (code[i] === trap) traps.push(from + i);
    }
  }
  return traps;
}
