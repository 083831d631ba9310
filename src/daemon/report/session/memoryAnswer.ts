import { escaped } from '../../../base/visible.ts';
import type { PlaceValue, Ran } from '../../../model/debug/evaluated.ts';
import type { Polled } from '../../../model/debug/memoryPoll.ts';
import type { MemoryFinds, MemoryHit } from '../../../model/debug/memorySearch.ts';
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
      readonly set: PlaceValue;
      readonly is: PlaceValue;
    }
  | { readonly kind: 'found'; readonly place: string; readonly finds: MemoryFinds }
  | { readonly kind: 'polled'; readonly place: string; readonly seen: Polled }
  | { readonly kind: 'ran'; readonly place: string; readonly ran: Ran }
  | { readonly kind: 'refused'; readonly place: string; readonly why: string };

const bytesOfLine = 16;
const textLengths: readonly number[] = [2000, 400, 80];

/** Answer of debug_memory. */
export function renderMemory(
  answer: {
    readonly view: SessionView;
    /** Null: the program runs. */
    readonly stop: string | null;
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
      ...(answer.stop === null ? {} : { stop: answer.stop }),
      outcome: answer.results.some(({ kind }) => kind === 'refused') ? 'refused' : 'done',
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
      return [`${one.place}: ${shown(one.was, longest)} → ${setText(one, longest)}`];
    case 'ran':
      return ranLines(one.place, one.ran, longest);
    case 'bytes':
      return bytesLines(one);
    case 'found':
      return findLines(one, longest);
    case 'polled':
      return pollLines(one, longest);
  }
}

/** Rows of one result, by how long its texts may be. */
function rowsOf(longest: number): number {
  return longest > 400 ? 64 : longest > 80 ? 20 : 5;
}

function findLines(
  { place, finds }: Extract<MemoryResult, { kind: 'found' }>,
  longest: number,
): string[] {
  const { hits, total, bytes, cut } = finds;
  const shownHits = hits.slice(0, rowsOf(longest));
  const times = total === 1 ? 'once' : `${total} times`;
  const looked = `${(bytes / 2 ** 20).toFixed(1)} MiB searched${cut === null ? '' : ` alone, as ${cut}`}`;
  return [
    `${place}: ${total === 0 ? 'not found' : `found ${times}`} (${looked})`,
    ...shownHits.map((hit) => `  0x${hit.address.toString(16)} ${regionText(hit)}`),
    ...(total > shownHits.length ? [`  … ${total - shownHits.length} more`] : []),
  ];
}

function regionText({ region: { kind, file } }: MemoryHit): string {
  return file === null ? kind : `${kind} of ${file.replace(/.*\//, '')}`;
}

function pollLines(
  { place, seen }: Extract<MemoryResult, { kind: 'polled' }>,
  longest: number,
): string[] {
  const { changes, changed, looks, ms, cut } = seen;
  const [first, ...rest] = changes.slice(0, rowsOf(longest) + 1);
  const left = changed - rest.length;
  const early = cut === null ? '' : `; ended early: ${cut}`;
  return [
    `${place} = ${first ? variableValue(first.value) : '?'}, ${changed} change${changed === 1 ? '' : 's'} in ${ms} ms (${looks} looks${early})`,
    ...rest.map((one) => `  +${one.ms} ms ${variableValue(one.value)}`),
    ...(left > 0 ? [`  … ${left} more changes`] : []),
  ];
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

function ranLines(place: string, ran: Ran, longest: number): string[] {
  if (ran.kind !== 'printed') return [`${place} ${ranText(ran, longest)}`];
  const lines = ran.text.split('\n');
  const shownLines = lines.slice(0, rowsOf(longest));
  const left = lines.length - shownLines.length;
  return [...shownLines, ...(left > 0 ? [`… ${left} more lines`] : [])];
}

function ranText(ran: Exclude<Ran, { kind: 'printed' }>, longest: number): string {
  if (ran.kind === 'raised') return `raised ${ran.text}`;
  if (ran.kind === 'value') return `= ${shown(ran, longest)}`;
  const { lost } = ran;
  return lost.length === 0
    ? 'ran'
    : `ran; its frame has no variable ${lost.join(', ')}: what was assigned is gone`;
}

/** A program that runs may set it again at once. */
function setText({ set, is }: Extract<MemoryResult, { kind: 'written' }>, longest: number): string {
  const [wanted, now] = [shown(set, longest), shown(is, longest)];
  return wanted === now ? now : `${wanted}, then ${now} by the running program`;
}

function shown({ value }: Pick<PlaceValue, 'value'>, longest: number): string {
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
    case 'ran':
      return {
        place,
        ...(one.ran.kind === 'value' ? { value: shown(one.ran, longest) } : {}),
        ...(one.ran.kind === 'printed' ? { printed: one.ran.text.slice(0, longest) } : {}),
        ...(one.ran.kind === 'raised' ? { raised: one.ran.text } : {}),
      };
    case 'bytes':
      return { place, address: one.address, bytes: Buffer.from(one.bytes).toString('hex') };
    case 'found': {
      const { hits, total, bytes, cut } = one.finds;
      const shownHits = hits.slice(0, rowsOf(longest)).map((hit) => ({
        address: `0x${hit.address.toString(16)}`,
        region: regionText(hit),
      }));
      return { place, total, searchedBytes: bytes, cut, hits: shownHits };
    }
    case 'polled': {
      const { changes, changed, looks, ms, cut } = one.seen;
      const values = changes
        .slice(0, rowsOf(longest) + 1)
        .map((change) => ({ ms: change.ms, value: variableValue(change.value) }));
      return { place, changed, looks, ms, cut, values };
    }
  }
}
