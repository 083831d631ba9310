import { escaped } from '../../../base/visible.ts';
import type { PlaceValue } from '../../../model/debug/evaluated.ts';
import type { SessionView } from '../../../model/session.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { variableValue } from '../views/variableLines.ts';

/** What became of one part of a request. */
export type MemoryResult =
  | { readonly kind: 'value'; readonly place: string; readonly found: PlaceValue }
  | {
      readonly kind: 'bytes';
      readonly place: string;
      readonly address: string;
      readonly bytes: Uint8Array;
    }
  | {
      readonly kind: 'written';
      readonly place: string;
      readonly was: PlaceValue;
      readonly is: PlaceValue;
    }
  | { readonly kind: 'refused'; readonly place: string; readonly why: string };

const bytesOfLine = 16;
const textLengths: readonly number[] = [2000, 400, 80];

/** Answer of debug_memory. */
export function renderMemory(
  answer: {
    readonly view: SessionView;
    readonly stop: string;
    readonly results: readonly MemoryResult[];
  },
  budget: number,
): ToolAnswer {
  return richest(budget, textLengths, (longest) => ({
    text: answer.results
      .flatMap((one) => linesOf(one, longest))
      .map((line) => escaped(line))
      .join('\n'),
    structured: {
      sessionId: answer.view.id,
      stop: answer.stop,
      results: answer.results.map((one) => twinOf(one, longest)),
      nextSteps: [],
    },
  }));
}

function linesOf(one: MemoryResult, longest: number): string[] {
  switch (one.kind) {
    case 'refused':
      return [`! ${one.place}: ${one.why}`];
    case 'value': {
      const { type, place } = one.found;
      const at = place?.kind === 'memory' ? `  at 0x${place.address.toString(16)}` : '';
      return [`${type === null ? '' : `${type} `}${one.place} = ${shown(one.found, longest)}${at}`];
    }
    case 'written':
      return [`${one.place}: ${shown(one.was, longest)} → ${shown(one.is, longest)}`];
    case 'bytes':
      return bytesLines(one);
  }
}

function bytesLines({ address, bytes }: Extract<MemoryResult, { kind: 'bytes' }>): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += bytesOfLine) {
    const part = Buffer.from(bytes.subarray(at, at + bytesOfLine));
    const hex = part.toString('hex').replaceAll(/(..)(?=.)/g, '$1 ');
    const text = part.toString('latin1').replaceAll(/[^ -~]/g, '.');
    lines.push(`0x${(BigInt(address) + BigInt(at)).toString(16)}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines;
}

function shown({ value }: PlaceValue, longest: number): string {
  const text = variableValue(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function twinOf(one: MemoryResult, longest: number): Record<string, unknown> {
  const { place } = one;
  switch (one.kind) {
    case 'refused':
      return { place, why: one.why };
    case 'value':
      return { place, type: one.found.type, value: shown(one.found, longest) };
    case 'written':
      return { place, was: shown(one.was, longest), is: shown(one.is, longest) };
    case 'bytes':
      return { place, address: one.address, bytes: Buffer.from(one.bytes).toString('hex') };
  }
}
