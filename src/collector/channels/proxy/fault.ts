import { StrobeError } from '../../../model/errors.ts';

/** What is done to an answer of a server. */
export type FaultKind =
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection ends after this number of bytes of the answer. */
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'reset' }
  /** Of the same number of bytes: what says how long an answer is stays true. */
  | { readonly kind: 'rewrite'; readonly from: Buffer; readonly to: Buffer };

export type Fault = FaultKind & {
  /** Which answer from now on, from 1; null: each. */
  readonly answer: number | null;
  /** As it was asked for. */
  readonly text: string;
};

/** Something that was done to an answer. */
export interface FaultDone {
  readonly atMs: number;
  readonly answer: number;
  readonly text: string;
  /** How often a text was replaced; null: nothing is replaced. */
  replaced: number | null;
}

/** A fault that is meant for an answer, and what becomes of it. */
export interface MeantFault {
  readonly fault: Fault;
  readonly done: FaultDone;
}

const MOST_DELAY_MS = 60_000;
const forms = '"3 delay 2000", "3 cut 10", "reset", "rewrite 200→503", "none"';

/** Reads `[which answer] what to do`. Null: none any more. Throws BAD_PARAMETER. */
export function faultOf(text: string): Fault | null {
  if (text.trim() === 'none') return null;
  const [, which, word, rest = ''] = /^\s*(?:(\d{1,6})\s+)?([a-z]+)(?:\s(.*))?$/s.exec(text) ?? [];
  const kind = kindOf(word, rest);
  const answer = which === undefined ? null : Number(which);
  if (kind === null || answer === 0)
    throw new StrobeError('BAD_PARAMETER', `"${text}" is no fault.`, `Give one of: ${forms}.`);
  return { ...kind, answer, text: text.trim() };
}

function kindOf(word: string | undefined, rest: string): FaultKind | null {
  const number = /^\d{1,9}$/.test(rest.trim()) ? Number(rest) : null;
  switch (word) {
    case 'delay':
      return number === null || number > MOST_DELAY_MS ? null : { kind: 'delay', ms: number };
    case 'cut':
      return number === null ? null : { kind: 'cut', bytes: number };
    case 'reset':
      return rest.trim() === '' ? { kind: 'reset' } : null;
    case 'rewrite':
      return rewriteOf(rest);
    default:
      return null;
  }
}

function rewriteOf(rest: string): FaultKind | null {
  const [from = '', to, more] = rest.split(/→|->/);
  if (from === '' || to === undefined || more !== undefined) return null;
  const [old, fresh] = [Buffer.from(from), Buffer.from(to)];
  if (old.length !== fresh.length)
    throw new StrobeError(
      'BAD_PARAMETER',
      `"${from}" has ${old.length} bytes and "${to}" ${fresh.length}.`,
      'Give texts of the same length: what says how long an answer is would be wrong.',
    );
  return { kind: 'rewrite', from: old, to: fresh };
}
