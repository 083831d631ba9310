import type { FaultPlace } from '../../../model/endings/crashReport.ts';
import type { Mapping, Snapshot } from '../../../model/endings/snapshot.ts';
import { mappingOf } from '../../../model/endings/snapshot.ts';
import { bytesOf, memberPath, membersOf, pointee } from '../dwarf/types/members.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import type { KnownMemory } from './snapshotMemory.ts';
import type { ProcessorRules } from '../processorRules.ts';
import { rulesOf } from '../machineRules.ts';
import { hex } from './unwind.ts';
import type { ReadVariable } from './variables.ts';

const signal = { bus: 7, segmentation: 11 } as const;
const kernelCode = 128;
/** Nothing is mapped below it, so an address there is a small offset from null. */
const lowest = 0x10000n;
const nearStack = 0x100000n;
/** An index of 32 bits: no element is farther from null. */
const mostElements = 2 ** 32;
/** Pointers of a chain like `bank.first->next->balance` that are followed. */
const farthest = 4;

/** What the variables of the frame that faulted can say. */
export interface FaultFrame {
  readonly types: TypeReader;
  /** Parameters and locals, then the globals that the source line names. */
  readonly variables: readonly ReadVariable[];
  /** It is the newest frame: an offset from a pointer was computed here. */
  readonly isNewest: boolean;
  /** The source line, to choose between members; null when unknown. */
  readonly sourceLine: string | null;
}

/** The memory at the address that a signal names, and the expression that led there. */
export function faultPlace(
  snapshot: Snapshot,
  memory: KnownMemory,
  frame: FaultFrame | null,
): FaultPlace {
  const fault = snapshot.signal;
  const registers = snapshot.threads[0]?.registers ?? [];
  const rules = rulesOf(snapshot.processor);
  const { stack: stackNumber, registers: names } = rules.processor;
  const [pc, sp] = [registers[names.length - 1] ?? 0n, registers[stackNumber] ?? 0n];
  if (fault === null || (fault.number !== signal.segmentation && fault.number !== signal.bus))
    return { kind: 'none' };
  if (fault.code <= 0 || fault.address === null) return { kind: 'none' };
  if (fault.code === kernelCode) return refused(memory, frame, registers, rules);
  const stack = overflown(snapshot.mappings, fault.address, sp);
  if (stack !== null) return { kind: 'stackOverflow', stackBytes: Number(stack.end - stack.start) };
  if (fault.address === pc && mappingOf(snapshot.mappings, pc)?.protection.includes('x') !== true)
    return memory.word(sp - 8n) === pc
      ? { kind: 'badReturn', address: hex(pc) }
      : { kind: 'noCode' };
  return pointedPlace(snapshot, memory, frame, fault.address);
}

/** The kernel names no address; the instruction may tell it. */
function refused(
  memory: KnownMemory,
  frame: FaultFrame | null,
  registers: readonly (bigint | null)[],
  rules: ProcessorRules,
): FaultPlace {
  const { instructions, processor } = rules;
  const pc = registers[processor.registers.length - 1] ?? 0n;
  const code = memory.readUpTo(pc, instructions.bytes);
  const access = instructions.accessOf(code, registers);
  if (access === null) {
    // Of an instruction that is not known only its registers say whether that may be why.
    const isLikely = registers.some((value) => value !== null && !rules.isCanonical(value));
    return { kind: isLikely ? 'notCanonical' : 'none' };
  }
  const { addresses, alignment, jump } = access;
  const expressionOf = (one: bigint): string | null =>
    frame === null ? null : (explain(frame, memory, one)?.expression ?? null);
  const address = addresses.find((one) => !rules.isCanonical(one)) ?? addresses[0] ?? 0n;
  const target =
    jump === null || !rules.isCanonical(address) ? null : (jump.to ?? memory.word(address));
  if (target !== null && !rules.isCanonical(target))
    return jump?.isReturn === true
      ? { kind: 'badReturn', address: hex(target) }
      : { kind: 'notCanonical', address: hex(target), expression: expressionOf(target) };
  const expression = expressionOf(address);
  if (!rules.isCanonical(address))
    return { kind: 'notCanonical', address: hex(address), expression };
  return address % BigInt(alignment) === 0n
    ? { kind: 'none' }
    : { kind: 'misaligned', address: hex(address), alignment, expression };
}

function pointedPlace(
  snapshot: Snapshot,
  memory: KnownMemory,
  frame: FaultFrame | null,
  address: bigint,
): FaultPlace {
  const found = frame === null ? null : explain(frame, memory, address);
  const named = { expression: found?.expression ?? null, type: found?.type ?? null };
  if (address < lowest) return { kind: 'null', offset: `0x${address.toString(16)}`, ...named };
  const mapping = mappingOf(snapshot.mappings, address);
  if (mapping === null) return { kind: 'unmapped', ...named };
  return { kind: 'notPermitted', protection: mapping.protection, path: mapping.path };
}

/** The stack whose lower end the address is below, when the stack pointer is there too. */
function overflown(mappings: readonly Mapping[], address: bigint, sp: bigint): Mapping | null {
  const far = address > sp ? address - sp : sp - address;
  if (far > nearStack) return null;
  if (mappingOf(mappings, address)?.protection.includes('w') === true) return null;
  const above = mappings.find((row) => row.start > address && row.protection.includes('w'));
  return above !== undefined && above.start - address <= nearStack ? above : null;
}

interface Explanation {
  readonly expression: string;
  readonly type: string;
  /** `names[3]` of a null pointer. */
  readonly isElement: boolean;
}

/** Pointers among the variables that the address is an offset from. */
function explain(frame: FaultFrame, memory: KnownMemory, address: bigint): Explanation | null {
  const found: Explanation[] = [];
  for (const { variable, type, word, address: own } of frame.variables) {
    if (type === null) continue;
    const { name } = variable;
    if (word !== null) addPointer(frame, memory, { name, type, word, address, depth: 0 }, found);
    if (own !== null && pointee(frame.types, type) === null)
      addMembers(frame, memory, { name: `${name}.`, type, at: own, address, depth: 0 }, found);
  }
  // An element far behind a pointer is the weaker explanation.
  const members = found.filter(({ isElement }) => !isElement);
  const line = frame.sourceLine;
  for (const some of [members, found]) {
    const onLine = line === null ? [] : some.filter(({ expression }) => isOnLine(line, expression));
    // Several ways may lead to the same pointer: the shortest one is what a reader looks for.
    const [shortest] = onLine.toSorted((a, b) => a.expression.length - b.expression.length);
    if (shortest !== undefined) return shortest;
  }
  const [only] = members.length > 0 ? members : found;
  return (members.length > 0 ? members : found).length === 1 ? (only ?? null) : null;
}

/** The words of the expression stand on the line. */
function isOnLine(line: string, expression: string): boolean {
  const words = expression.match(/[A-Za-z_]\w*/g) ?? [];
  return words.every((word) => word === 'this' || line.includes(word));
}

interface Pointer {
  readonly name: string;
  readonly type: TypeReference;
  readonly word: bigint;
  /** The one that is to be explained. */
  readonly address: bigint;
  /** Pointers that led here. */
  readonly depth: number;
}

/** The pointer, and those in what it leads to. */
function addPointer(
  frame: FaultFrame,
  memory: KnownMemory,
  pointer: Pointer,
  found: Explanation[],
): void {
  add(frame, pointer, found);
  const { name, type, word, address, depth } = pointer;
  const target = pointee(frame.types, type);
  // Farther away only what the line spells out is looked at.
  const isWanted = depth === 0 || (frame.sourceLine !== null && isOnLine(frame.sourceLine, name));
  if (word === 0n || target === null || depth > farthest || !isWanted) return;
  const next = depth + 1;
  addMembers(
    frame,
    memory,
    { name: `${name}->`, type: target, at: word, address, depth: next },
    found,
  );
}

function addMembers(
  frame: FaultFrame,
  memory: KnownMemory,
  from: Omit<Pointer, 'word'> & { readonly at: bigint },
  found: Explanation[],
): void {
  for (const member of membersOf(frame.types, from.type)) {
    if (member.offset === null) continue;
    const at = from.at + BigInt(member.offset);
    if (member.isBase) {
      addMembers(frame, memory, { ...from, type: member.type, at }, found);
      continue;
    }
    if (pointee(frame.types, member.type) === null) continue;
    const word = memory.word(at);
    if (word === null) continue;
    const { address, depth } = from;
    const name = `${from.name}${member.name}`;
    addPointer(frame, memory, { name, type: member.type, word, address, depth }, found);
  }
}

function add({ types, isNewest }: FaultFrame, pointer: Pointer, found: Explanation[]): void {
  const { name, type, word, address } = pointer;
  const target = pointee(types, type);
  if (target === null || address < word || (!isNewest && address !== word)) return;
  // A valid pointer cannot be what a fault near null was caused by.
  if (address < lowest && word !== 0n) return;
  const size = bytesOf(types, target);
  const offset = Number(address - word);
  const spelled = types.nameOf(type, 0);
  if (offset === 0 && !isNewest) {
    found.push({ expression: name, type: spelled, isElement: false });
    return;
  }
  const bare = types.plain(target);
  if (bare === null || size === 0) return;
  if (offset >= size) {
    const index = offset / size;
    if (word === 0n && Number.isInteger(index) && index < mostElements)
      found.push({ expression: `${name}[${index}]`, type: spelled, isElement: true });
    return;
  }
  const path = memberPath(types, bare, offset);
  const expression = path === null ? `*${name}` : `${name}->${path}`;
  found.push({ expression, type: spelled, isElement: false });
}
