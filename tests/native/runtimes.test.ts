import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { definitionLanguage } from '../../src/protocol/definitions.ts';
import { itNeeds } from '../support/needs.ts';
import { readRings } from '../support/ringEvents.ts';
import { engine, ringPath, told, writerFlags } from '../support/scenes.ts';
import { buildTarget, targetSource } from '../support/targets.ts';
import type { ToldEvent } from '../support/toldRings.ts';

/** A library that is loaded into a runtime and tells of its calls. */
function buildWriter(source: string, language: keyof typeof definitionLanguage): string {
  const flags = ['-shared', '-fPIC', '-w', `-DLANGUAGE=${definitionLanguage[language]}`];
  return buildTarget(source, [...writerFlags, ...flags], 'writer.node');
}

/** No record is damaged, nothing is lost, and these are the events of one thread after the other. */
function expectEvents(
  ring: string,
  shown: (event: ToldEvent) => readonly string[],
  expected: readonly string[],
): void {
  const { events, lost } = told(ring);
  expect(events.flatMap(shown)).toEqual(expected);
  expect(lost).toEqual({});
  expect(readRings(ring).threads.filter(({ broken }) => broken > 0)).toEqual([]);
}

itNeeds('cpython', '[runtimes.python] what a tracer for Python writes is read right', () => {
  const ring = ringPath();
  const writer = buildWriter('dynamic/pythonTracer.c', 'python');
  execFileSync('python3', [targetSource('dynamic/told.py'), writer, engine, ring]);
  // What a version of Python does not tell: resumes carry what was sent, ends by exceptions these.
  const untold = new Set(['resume', 'unwound']);
  const shown = ({ kind, fn, values }: ToldEvent): string[] =>
    kind === 'handled' || fn === 'Point'
      ? []
      : [[kind, fn, ...(untold.has(kind) ? [] : values)].join(' ')];
  const kept = (value: string): string[] => [`enter keep ${value}`, `return keep ${value}`];
  expectEvents(ring, shown, [
    'enter add 1 2',
    'return add 3',
    'enter add "a" "b\u00e9\u20ac"',
    'return add "ab\u00e9\u20ac"',
    'enter add 1.5 1208925819614629174706176',
    'return add 1.2089258196146292e+24',
    'enter steps 2',
    'suspend steps 0',
    'resume steps',
    'suspend steps 1',
    'resume steps',
    'return steps none',
    'enter outer "q"',
    'enter boom "q"',
    'unwound boom',
    'return outer ValueError("no q")',
    'enter later 21',
    'suspend later none',
    'resume later',
    'enter add 21 21',
    'return add 42',
    'return later 42',
    ...['[cycle 1]', 'Point("x"=1, "y"=[none])', 'set(1, 2)', 'bytes(2, 7878)'].flatMap(kept),
    ...['true', '{"a": (2, 3)}', '-70000', '1000000000000'].flatMap(kept),
    'enter add 5 6',
    'return add 11',
  ]);
});

test('[runtimes.node] what an addon for Node writes is read right', () => {
  const ring = ringPath();
  const writer = buildWriter('dynamic/nodeAddon.c', 'javascript');
  execFileSync(process.execPath, [targetSource('dynamic/told.cjs'), writer, engine, ring]);
  const shown = ({ kind, fn, sp, values }: ToldEvent): string[] => [
    [kind, fn, sp, ...values].join(' '),
  ];
  expectEvents(ring, shown, [
    'enter add 1 1 2.5',
    'return add 1 3.5',
    'enter add 2 "größer" " → 100 €"',
    'return add 2 "größer → 100 €"',
    'enter add 3 true 1099511627776',
    'return add 3 1099511627777',
    'enter steps 4 2',
    'suspend steps 4 0',
    'resume steps 4 undefined',
    'suspend steps 4 1',
    'resume steps 4 undefined',
    'return steps 4 undefined',
    'enter fails 5 "no reason"',
    'unwound fails 5 "no reason"',
    'enter soon 6 21',
    'enter Later.later 7 21',
    'suspend Later.later 7 none',
    'suspend soon 6 none',
    'resume Later.later 7 none',
    'enter add 8 21 21',
    'return add 8 42',
    'return Later.later 7 42',
    'return soon 6 42',
  ]);
});
