import { z } from 'zod';
import type { Value } from '../../../model/questions/query.ts';
import { secretIn } from '../../../model/values/redaction.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { DapError, type DapLink } from './dapLink.ts';

/** A value as an adapter tells it: its text, and where what it is made of is asked for (0: nowhere). */
const told = z.looseObject({
  value: z.string(),
  type: z.string().optional(),
  variablesReference: z.number(),
  indexedVariables: z.number().optional(),
});
export type ToldValue = z.output<typeof told>;

interface Part {
  readonly name: string;
  readonly value: Value;
}

const variables = z.looseObject({
  variables: z.array(told.extend({ name: z.string() })),
});
export type ToldVariable = z.output<typeof variables>['variables'][number];

/** As gdb and lldb tell a text: behind its address. */
const pointed = /^0x[0-9a-f]+ (?=")/i;
const quotedText = /^(?:0x[0-9a-f]+ )?"/i;
const nowhere = /^0x0+$/;
/** What an adapter says of a container beside what is in it: `len()`. */
const counts = /^\w+\(\)$/;
const mostItems = 16;
const mostText = 400;

/** Reads values of one frame, without what looks like a secret. */
export class DapValues {
  readonly #link: DapLink;
  readonly #secretNames: readonly string[];
  readonly #adapter: Pick<DebugAdapter, 'plain'>;
  readonly #mostAsked: number;
  #asked = 0;
  /** Something was left out for the limits. */
  isCut = false;

  /** `mostAsked`: requests for what values are made of. */
  constructor(
    link: DapLink,
    secretNames: readonly string[],
    adapter: Pick<DebugAdapter, 'plain'>,
    mostAsked = 60,
  ) {
    this.#link = link;
    this.#adapter = adapter;
    this.#mostAsked = mostAsked;
    this.#secretNames = secretNames;
  }

  /** Throws DapError. */
  async variables(
    variablesReference: number,
    page?: { readonly count: number },
  ): Promise<readonly ToldVariable[]> {
    this.#asked++;
    const args = { variablesReference, ...(page ? { start: 0, ...page } : {}) };
    const answer = await this.#link.ask('variables', args, variables);
    return answer.variables.filter(({ name }) => !counts.test(name));
  }

  /** What has this name, and what it is made of, `levels` deep. Throws DapError. */
  async value(name: string, one: ToldValue, levels: number, items = mostItems): Promise<Value> {
    const word = secretIn(name, this.#secretNames);
    if (word !== null) return { kind: 'redacted', word };
    if (one.variablesReference === 0 || quotedText.test(one.value)) return this.#plain(one);
    // lldb has members of what is not there, each with an error.
    if (nowhere.test(one.value)) return { kind: 'pointer', address: '0x0', isNull: true };
    // A text of all it holds would tell secrets, too.
    if (levels === 0 || this.#asked >= this.#mostAsked) {
      this.isCut = true;
      return { kind: 'word', text: `${one.type ?? ''}{…}` };
    }
    const page = one.indexedVariables === undefined ? undefined : { count: items };
    const parts = await this.#parts(one.variablesReference, page);
    if (typeof parts === 'string') return unread(parts) ?? this.#plain(one);
    const [first] = parts;
    // A pointer has one part: what it leads to.
    if (parts.length === 1 && first && (first.name === '' || isTarget(first.name, one, name)))
      return await this.value(name, first, levels, items);
    const values: Part[] = [];
    for (const part of parts.slice(0, items))
      values.push({ name: part.name, value: await this.value(part.name, part, levels - 1) });
    return this.#compound(one, values, parts.length);
  }

  /** What is made of so many parts, of which these are the first. */
  #compound(one: ToldValue, values: readonly Part[], count: number): Value {
    const total = Math.max(one.indexedVariables ?? 0, count);
    const [first] = values;
    if (first && /^(?:\[\d+\]|\d+)$/.test(first.name))
      return { kind: 'list', items: values.map(({ value }) => value), total };
    if (isMap(one)) {
      const keyOf = (part: string): Value => this.#plain({ value: part, variablesReference: 0 });
      const entries = values.map((part) => ({ key: keyOf(part.name), value: part.value }));
      return { kind: 'map', entries, total };
    }
    return { kind: 'object', object: { fields: values, left: count - values.length } };
  }

  /** A text: why the adapter cannot read them. */
  async #parts(
    ...asked: Parameters<DapValues['variables']>
  ): Promise<readonly ToldVariable[] | string> {
    try {
      return await this.variables(...asked);
    } catch (error) {
      if (error instanceof DapError) return error.message;
      throw error;
    }
  }

  #plain(one: ToldValue): Value {
    return this.#adapter.plain?.(one) ?? plain(one);
  }
}

/** What a pointer is that leads nowhere: gdb says so and leaves out its value. Null: that is not why. */
function unread(why: string): Value | null {
  const [, address] = /\baddress (0x[0-9a-f]+)/i.exec(why) ?? [];
  if (address === undefined) return null;
  return { kind: 'pointer', address, isNull: BigInt(address) === 0n };
}

function isMap({ type = '' }: ToldValue): boolean {
  return type.startsWith('map[') || type === 'dict';
}

/** As gdb and lldb name what a pointer leads to. */
function isTarget(part: string, { type = '' }: ToldValue, name: string): boolean {
  return /[*&]$/.test(type.trimEnd()) && (part === 'value' || part === `*${name}`);
}

/** A value that is its text. */
function plain({ value, type = '' }: ToldValue): Value {
  if (/^-?\d+$/.test(value)) return { kind: 'int', text: value };
  if (value === 'true' || value === 'false') return { kind: 'bool', value: value === 'true' };
  if (value === 'nil' || value.endsWith(' nil')) return { kind: 'null', word: 'nil' };
  if (/^-?\d+\.\d+(?:e[-+]?\d+)?$/.test(value)) return { kind: 'float', value: Number(value) };
  const [, quoted, more] =
    /^("(?:[^"\\]|\\.)*")(\.\.\.\+\d+ more)?$/s.exec(value.replace(pointed, '')) ?? [];
  if (quoted !== undefined)
    return { kind: 'string', text: unquoted(quoted), truncated: more !== undefined };
  const isEmpty = / len: 0\b/.test(value) || value === `${type} []`;
  if (isEmpty && /^(?:\[\]|map\[)/.test(type))
    return type.startsWith('map[')
      ? { kind: 'map', entries: [], total: 0 }
      : { kind: 'list', items: [], total: 0 };
  return { kind: 'word', text: value.length > mostText ? `${value.slice(0, mostText)}…` : value };
}

function unquoted(text: string): string {
  try {
    return z.string().parse(JSON.parse(text));
  } catch {
    return text.slice(1, -1); // It has escapes that JSON has not.
  }
}
