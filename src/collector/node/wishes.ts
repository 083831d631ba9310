import { hash } from 'node:crypto';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { functionFlags } from '../../model/functions/definition.ts';
import type { CallPolicy, Trigger } from '../../model/functions/traceable.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { oncePerWishes } from '../source/oncePerWishes.ts';
import type { SourceSite } from '../source/sourceSites.ts';
import type { SampledWatch } from '../source/sampledWatches.ts';
import { watchAt } from '../../protocol/record.ts';
import type {
  NodeWishes,
  WantedFunction,
  WantedPolicy,
  WantedSite,
  WantedWatch,
  WireExpression,
} from '../../protocol/nodeTracer.ts';

/** The wanted functions, as the preload in a process reads them (src/protocol/nodeTracer.ts). */
export const wishesTable = oncePerWishes<WireExpression, Buffer>(
  ({ functions, policies, watches, sites, raises }) => {
    const files = new Map<string, WantedFunction[]>();
    for (const fn of functions) {
      const wanted = {
        ...wish(fn, policies.get(fn.id), watches.get(fn.id)),
        ...checksOf(fn, sites),
      };
      const known = files.get(fn.unit);
      if (known) known.push(wanted);
      else files.set(fn.unit, [wanted]);
    }
    const recording = recordingOf(functions, policies);
    const probed: Record<string, WantedSite[]> = {};
    for (const site of sites)
      if (site.returnOf === null) (probed[site.file] ??= []).push(wantedSite(site));
    return tableOf(files, {
      ...(recording ? { recording } : {}),
      ...(Object.keys(probed).length > 0 ? { sites: probed } : {}),
      ...(raises.length > 0 ? { raises } : {}),
    });
  },
);

/** Of the length of the head. */
const LENGTH_BYTES = 4;

function tableOf(
  files: ReadonlyMap<string, readonly WantedFunction[]>,
  rest: Omit<NodeWishes, 'files'>,
): Buffer {
  const places: Record<string, [number, number]> = {};
  const parts: Buffer[] = [];
  let at = 0;
  for (const [file, wanted] of files) {
    const part = Buffer.from(JSON.stringify(wanted));
    places[file] = [at, part.length];
    parts.push(part);
    at += part.length;
  }
  const head = Buffer.from(JSON.stringify({ files: places, ...rest } satisfies NodeWishes));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...parts]);
}

function checksOf(
  { id }: SourceFunction,
  sites: readonly SourceSite<WireExpression>[],
): Pick<WantedFunction, 'checks'> {
  const checks = sites.filter(({ returnOf }) => returnOf?.id === id);
  return checks.length > 0 ? { checks: checks.map(wantedSite) } : {};
}

function wantedSite(site: SourceSite<WireExpression>): WantedSite {
  const { statement, key, name, probe, names, captured, condition, check } = site;
  const { line, column, offset, isResult, word } = statement;
  const { after, every, most, levels } = site;
  return {
    key,
    name,
    line,
    column,
    offset,
    isResult,
    word,
    names,
    after,
    every,
    most,
    levels,
    probe: JSON.stringify(probe),
    captured: captured.map(({ text, code }) => ({ text, expression: code })),
    ...(condition === null ? {} : { condition }),
    ...(check === null ? {} : { check }),
    ...(site.stops ? { stops: true } : {}),
  };
}

/** Recording begins on, unless a call is to start it. */
function recordingOf(
  wanted: readonly SourceFunction[],
  policies: ReadonlyMap<string, CallPolicy>,
): NodeWishes['recording'] {
  const triggers = wanted.flatMap(({ id }) => {
    const { start = false, stop = false } = policies.get(id) ?? {};
    return start === false && stop === false
      ? []
      : [
          {
            id,
            start: start !== false && wireTrigger(start),
            stop: stop !== false && wireTrigger(stop),
          },
        ];
  });
  if (triggers.length === 0) return undefined;
  return { isOn: triggers.every(({ start }) => start === false), triggers: toDigest(triggers) };
}

function toDigest(value: unknown): string {
  return hash('sha1', JSON.stringify(value), 'base64');
}

function wish(
  fn: SourceFunction,
  policy: CallPolicy | undefined,
  watches: readonly SampledWatch<WireExpression>[] | undefined,
): WantedFunction {
  const { name, line, column, offset, parameters, depth } = fn;
  const asked = policy && askedOf(policy);
  return {
    name,
    line,
    column,
    offset,
    flags: flagsOf(fn),
    parameters,
    // Where nobody asked for a depth the tracer has its own.
    levels: depth.whole === depth.levels ? depth.levels : 0,
    ...(asked ? { policy: asked } : {}),
    ...(watches ? { watches: watches.map(watchOf) } : {}),
  };
}

function flagsOf({ kind }: SourceFunction): number {
  return kind === 'function' ? 0 : functionFlags[kind];
}

function askedOf(policy: CallPolicy): WantedPolicy | null {
  const { every, first, depth, leastNs, when, whenReturn, start, stop } = policy;
  const asked: WantedPolicy = {
    ...(every > 0 ? { every } : {}),
    ...(first > 0 ? { first } : {}),
    ...(depth > 0 ? { depth } : {}),
    ...(leastNs > 0 ? { leastNs: Math.ceil(leastNs) } : {}),
    ...(when ? { when: wireExpression(when) } : {}),
    ...(whenReturn ? { whenReturn: wireExpression(whenReturn) } : {}),
    ...(start === false ? {} : { start: wireTrigger(start) }),
    ...(stop === false ? {} : { stop: wireTrigger(stop) }),
  };
  return Object.keys(asked).length > 0 ? asked : null;
}

function wireTrigger(trigger: Exclude<Trigger, false>): true | WireExpression {
  return trigger === true ? true : wireExpression(trigger);
}

/** Whole numbers are digits in JSON. */
export function wireExpression(expression: Expression): WireExpression {
  const text = JSON.stringify(expression, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  // oxlint-disable-next-line typescript/consistent-type-assertions -- it is the same but for whole numbers
  return JSON.parse(text) as WireExpression;
}

const sampledAt = { ...watchAt, both: watchAt.enter | watchAt.return };

function watchOf({ number, at, code }: SampledWatch<WireExpression>): WantedWatch {
  return { number, at: sampledAt[at], expression: code };
}
