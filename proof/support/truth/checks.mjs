/* What one answer says, compared with what is so. Each check answers its differences as texts. */
import { chain } from './languages.mjs';
import { memoryOf, registersOf, stateOf } from './kernel.mjs';

/** A stop that an answer describes as held: its thread stands still where it says. */
export function stopDifferences(stop, scene) {
  if (stop.left) return [];
  const found = [
    ...stateDifferences(stop, scene),
    ...(stop.reason === 'breakpoint' ? hitDifferences(stop, scene) : []),
  ];
  return found.map((text) => `${stop.id}: ${text}`);
}

function stateDifferences({ thread, holds }, { pid, language, slots }) {
  if (!language.isNative) return [];
  const others = holds === 'process' ? [...slots.keys()] : [];
  return [thread, ...others].flatMap((tid) => {
    const state = stateOf(pid, tid);
    const said = tid === thread ? 'is said to be stopped' : 'is said to stand with all threads';
    return state === 't' ? [] : [`thread ${tid} ${said}, its state is ${state}`];
  });
}

/** `truth::leaf(Slot*, long)` → `leaf` */
function shortName(name) {
  return name?.replace(/\(.*/, '').split(/::|\./).at(-1) ?? '';
}

/** What a thread that meets a breakpoint shows: its arguments, and which breakpoint. */
function hitDifferences(stop, { slots, breakpoints }) {
  const { thread, place, variables = {} } = stop;
  const name = shortName(stop.function);
  const found = [];
  const slot = slots.get(thread);
  const [variable, values] = (slot && argumentOf(name, slot)) ?? [];
  const said = variables[variable] ?? null;
  if (said !== null && !values.includes(BigInt(said)))
    found.push(`${variable} of ${name} is ${said}, the thread says ${values.join(' or ')}`);
  for (const id of stop.breakpoints ?? []) {
    const asked = breakpoints.get(id);
    if (!asked) found.push(`it names ${id}, which nobody set`);
    else if (asked.line && !place.endsWith(`:${asked.line}`))
      found.push(`it is at ${place}, and ${id} is in line ${asked.line}`);
    else if (asked.function && shortName(asked.function) !== name)
      found.push(`it is in ${name}, and ${id} is in ${asked.function}`);
  }
  return found;
}

/** The argument of a function that the thread's own words tell, and what it may be. */
function argumentOf(name, { from, i }) {
  const known = { leaf: ['x', [from + i, from + i + 1n]], part: ['x', [from + i]] };
  return known[name];
}

/** Each function of the chain is called by the next. */
export function stackDifferences(frames, id) {
  const names = frames
    .map(({ function: name }) => shortName(name))
    .filter((name) => chain.includes(name));
  const [first] = names;
  if (first === undefined) return [];
  const wanted = chain.slice(chain.indexOf(first));
  return names.join() === wanted.join()
    ? []
    : [
        `${id}: its stack is ${names.join(' ← ')}, and ${first} has the callers ${wanted.slice(1).join(' ← ')}`,
      ];
}

/** Registers of a thread that stands still. */
export function registerDifferences(registers, stop, pid) {
  const truth = registersOf(pid, stop.thread);
  if (stop.left !== null || truth === null) return [];
  const value = (name) => BigInt(registers.find((one) => one.name === name)?.value ?? 0);
  const [sp, pc] = truth;
  const found = [];
  if (value('rsp') !== sp)
    found.push(`${stop.id}: rsp is 0x${sp.toString(16)}, said 0x${value('rsp').toString(16)}`);
  if (value('rip') !== pc)
    found.push(`${stop.id}: rip is 0x${pc.toString(16)}, said 0x${value('rip').toString(16)}`);
  return found;
}

export function numberIn(pid, knobs, { at, bytes }) {
  const memory = memoryOf(pid, knobs + BigInt(at), bytes);
  return bytes === 8 ? memory.readBigInt64LE() : BigInt(memory.readInt32LE());
}
