import { pause } from '../../../base/deadline.ts';
import { monotonicMs } from '../../../base/clock.ts';
import { middleOf, type Place } from '../box.ts';
import type { ScreenInput } from '../screenInput.ts';
import { angleOf } from './seen.ts';
import { onDisplay, type Thing } from './seenElements.ts';

/** `up`, `right`: a drag from the middle; `turn`: of the pointer, round; `thumb`: of the thumb, along. */
type Motion = 'up' | 'right' | 'turn' | 'thumb' | 'wheel';

interface Learned {
  readonly motion: Motion;
  /** Pixels, or steps of the wheel, that the whole range takes; below zero where it goes the other way. */
  readonly range: number;
}

const motions: Readonly<Record<Thing['role'], readonly Motion[]>> = {
  knob: ['up', 'turn', 'right', 'wheel'],
  slider: ['thumb', 'up', 'right', 'wheel'],
};
/** Shares of the range. */
const REACHED = 0.015;
const LEAST_CHANGE = 0.004;
const AT_END = 0.01;
/** Pixels and steps that are tried first, and that are done at once at most. */
const first: Readonly<Record<Motion, number>> = { up: 24, right: 24, turn: 1, thumb: 1, wheel: 1 };
const MOST_PIXELS = 200;
const MOST_STEPS = 60;
const MOST_DEGREES = 60;
const MOST_TURNS = 10;
/** Of its radius: where the pointer of a knob is taken, and where it is let go, as angles are finer there. */
const RIM = 0.6;
const OUTSIDE = 2;
/** A person takes that for the value. */
export const CLOSE = 0.03;
const SETTLED_MS = 600;
const TURN_MS = 40;

/** What the motor sees and moves. */
export interface Hand {
  readonly input: ScreenInput;
  /** The thing as it looks now; null: it is not seen. */
  look(): Promise<Thing | null>;
}

/** Moves painted knobs and sliders: tries a motion, looks what came of it, and keeps for each thing what helped. */
export class Motor {
  /** By id. */
  readonly #learned = new Map<string, Learned>();

  /** Moves a thing to a share of its range; where it is then, only a look says. */
  async move({ id, role }: Thing, wanted: number, hand: Hand): Promise<void> {
    const known = this.#learned.get(id);
    const others = motions[role].filter((motion) => motion !== known?.motion);
    for (const motion of known === undefined ? others : [known.motion, ...others]) {
      const given = motion === known?.motion ? known.range : null;
      const range = await reach(motion, given, wanted, hand);
      if (range === null) continue;
      this.#learned.set(id, { motion, range });
      return;
    }
  }
}

/** The range of a motion that leads to the value; null: it does not. */
async function reach(
  motion: Motion,
  given: number | null,
  wanted: number,
  hand: Hand,
): Promise<number | null> {
  let range = given;
  let thing = await hand.look();
  for (let turn = 0; turn < MOST_TURNS && thing !== null; turn++) {
    const left = wanted - thing.value;
    if (Math.abs(left) <= REACHED) return range ?? first[motion];
    const units = unitsFor(motion, range, left);
    await tried(motion, units, { thing, wanted }, hand.input);
    const after = await settled(hand, thing.value);
    const change = (after?.value ?? thing.value) - thing.value;
    if (Math.abs(change) < LEAST_CHANGE)
      return Math.abs(left) <= CLOSE ? (range ?? first[motion]) : null;
    // At an end it may have been moved less far than the pointer.
    if (after !== null && after.value > AT_END && after.value < 1 - AT_END) range = units / change;
    thing = after;
  }
  return null;
}

function unitsFor(motion: Motion, range: number | null, left: number): number {
  if (range === null) return Math.sign(left) * first[motion];
  const most = motion === 'wheel' ? MOST_STEPS : MOST_PIXELS;
  const units = Math.round(Math.min(most, Math.max(-most, left * range)));
  return units === 0 ? Math.sign(left * range) : units;
}

async function tried(
  motion: Motion,
  units: number,
  { thing, wanted }: { readonly thing: Thing; readonly wanted: number },
  input: ScreenInput,
): Promise<void> {
  const at = onDisplay(thing);
  switch (motion) {
    case 'up':
      return await input.drag(at, { x: at.x, y: at.y - units });
    case 'right':
      return await input.drag(at, { x: at.x + units, y: at.y });
    case 'wheel':
      return await input.scroll(at, units > 0 ? 'up' : 'down', Math.abs(units));
    case 'thumb':
      return await input.drag(thumbAt(thing, thing.value), thumbAt(thing, wanted));
    case 'turn': {
      const [from, to] = [angleOf(thing.value), angleOf(wanted)];
      const step = Math.min(MOST_DEGREES, Math.max(-MOST_DEGREES, to - from));
      return await input.drag(around(thing, from, RIM), around(thing, from + step, OUTSIDE));
    }
  }
}

function thumbAt(thing: Thing, value: number): Place {
  const { x, y, width, height } = thing;
  const middle = middleOf(thing);
  const isUpright = height > width;
  return onDisplay(thing, {
    x: isUpright ? middle.x : x + value * width,
    y: isUpright ? y + (1 - value) * height : middle.y,
  });
}

function around(thing: Thing, degrees: number, away: number): Place {
  const middle = middleOf(thing);
  const [radius, angle] = [(away * thing.width) / 2, (degrees * Math.PI) / 180];
  return onDisplay(thing, {
    x: middle.x + radius * Math.cos(angle),
    y: middle.y - radius * Math.sin(angle),
  });
}

/** A program paints a moment after it was moved: waits until it is seen elsewhere, and stays there. */
async function settled(hand: Hand, before: number): Promise<Thing | null> {
  const began = monotonicMs();
  let last = await hand.look();
  while (monotonicMs() - began < SETTLED_MS) {
    await pause(TURN_MS);
    const now = await hand.look();
    if (now !== null && now.value !== before && now.value === last?.value) return now;
    last = now;
  }
  return last;
}
