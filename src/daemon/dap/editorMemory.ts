import type { DebugProtocol } from '@vscode/debugprotocol';
import { hexadecimal } from '../../model/decoding/scalars.ts';
import type { Instruction } from '../../model/debug/disassembly.ts';
import type { StopView } from '../../model/debug/stop.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ScalarType } from '../../model/values/scalarType.ts';
import { placeValue, type FrameAt } from '../stops/placeValues.ts';
import type { SessionStops } from '../stops/sessionStops.ts';
import type { DapArguments } from './arguments.ts';
import type { AskedBreakpoint } from './editorBreakpoints.ts';

/* What an editor reads and sets by addresses: memory, instructions, data that stops what touches it. */

/** Where a thread stands, else of the program as it runs. */
export function readMemory(
  stops: SessionStops,
  { memoryReference, offset, count }: DapArguments<'readMemory'>,
): NonNullable<DebugProtocol.ReadMemoryResponse['body']> {
  const address = BigInt(memoryReference) + BigInt(offset);
  const bytes = stops.memory.bytes(stops.meantOrRunning(undefined)?.id ?? null, address, count);
  return {
    address: hexadecimal(address),
    data: Buffer.from(bytes).toString('base64'),
    ...(bytes.length < count ? { unreadableBytes: count - bytes.length } : {}),
  };
}

/** Sets bytes one after the other, each word with an event. Throws BAD_EXPRESSION where the program itself may not write. */
export async function writeMemory(
  stops: SessionStops,
  { memoryReference, offset, data }: DapArguments<'writeMemory'>,
): Promise<NonNullable<DebugProtocol.WriteMemoryResponse['body']>> {
  const stop = stops.meantOrRunning(undefined)?.id ?? null;
  const bytes = Buffer.from(data, 'base64');
  for (let at = 0; at < bytes.length; at += wordBytes) {
    const part = bytes.subarray(at, at + wordBytes);
    const address = BigInt(memoryReference) + BigInt(offset + at);
    const word = Buffer.alloc(wordBytes);
    word.set(part);
    await stops.memory.write(stop, {
      name: hexadecimal(address),
      address,
      bytes: part.length,
      bits: word.readBigUInt64LE(),
      scalar: wordType,
    });
  }
  return { bytesWritten: bytes.length };
}

const wordBytes = 8;
const wordType: ScalarType = { kind: 'int', name: 'bytes', bytes: wordBytes, signed: false };

/** As many instructions as asked, counted from one of them; what is outside of its function is filled up. */
export async function disassembled(
  stops: SessionStops,
  stop: StopView,
  { memoryReference, offset, instructionOffset, instructionCount }: DapArguments<'disassemble'>,
): Promise<DebugProtocol.DisassembledInstruction[]> {
  const address = BigInt(memoryReference) + BigInt(offset);
  const end = instructionOffset + instructionCount;
  const reach =
    3 * Math.min(mostInstructions, Math.max(Math.abs(instructionOffset), Math.abs(end)) + 1);
  for (const [frame] of stop.thread.frames.entries()) {
    const code = await stops.disassemble(stop.id, frame, reach).catch(() => null);
    const all = code?.instructions ?? [];
    const from = all.findIndex((one) => BigInt(one.address) === address);
    if (code === null || from < 0) continue;
    return Array.from({ length: instructionCount }, (_, i) => {
      const index = from + instructionOffset + i;
      const instruction = all[index];
      return instruction
        ? instructionBody(instruction, code.file)
        : { address: hexadecimal(address + BigInt(index - from)), ...outside };
    });
  }
  throw new StrobeError(
    'NO_LINE',
    `No frame of ${stop.id} has an instruction at ${memoryReference}.`,
  );
}

const mostInstructions = 1000;
const outside = { instruction: '(outside of the function)', presentationHint: 'invalid' } as const;

function instructionBody(
  { address, text, line }: Instruction,
  file: string | null,
): DebugProtocol.DisassembledInstruction {
  const at = line === null || file === null ? {} : { line, location: { path: file } };
  return { address, instruction: text, ...at };
}

/** What names data to stop at; its id is an expression that holds without the frame. */
export async function watchable(
  stops: SessionStops,
  at: FrameAt,
  expression: string,
): Promise<DebugProtocol.DataBreakpointInfoResponse['body']> {
  const { place, scalar, type } = await placeValue(stops.memory, at, expression, 1);
  if (place?.kind !== 'memory' || scalar === null)
    return {
      dataId: null,
      description: `${expression} is no number, character, enumerator or pointer in memory.`,
    };
  const accessTypes: DebugProtocol.DataBreakpointAccessType[] = ['write', 'readWrite'];
  const address = hexadecimal(place.address);
  const everywhere = await placeValue(stops.memory, { stop: null, frame: 0 }, expression, 1).catch(
    () => null,
  );
  const isGlobal =
    everywhere?.place?.kind === 'memory' && everywhere.place.address === place.address;
  return {
    dataId: isGlobal ? expression : `*(${type ?? scalar.name}*)${address}`,
    description: `${expression} at ${address}`,
    accessTypes,
    canPersist: isGlobal,
  };
}

/** What an editor asks of data, as what is asked of a breakpoint. */
export function dataAsked({ breakpoints }: DapArguments<'setDataBreakpoints'>): AskedBreakpoint[] {
  return breakpoints.map(({ dataId, accessType, condition, hitCondition }) => ({
    where: { data: dataId, access: accessType === 'write' ? 'write' : 'access' },
    condition,
    hitCondition,
  }));
}
