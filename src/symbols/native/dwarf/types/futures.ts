/**
 * What rustc makes of `async` functions, blocks and closures: a function that goes on with them (`Future::poll`), whose
 * first parameter nobody wrote, and a type with a variant for each place where they wait.
 */

const body = /^\{async_(?:fn|block|closure)#/;
const pinned = /\bPin<&mut .*\{async_(?:fn|block|closure)_env#\d+\}/;
const state = /^(?:Unresumed|Returned|Panicked|(Suspend)\d+)$/;
const over = /^(?:Returned|Panicked)$/;

/** Whether a function of this name goes on with a future, when what it is passed first is of this type. */
export function isFutureBody(name: string, firstType: string): boolean {
  return body.test(name) && pinned.test(firstType);
}

/** Whether this type is a future in one of its states: what it captured and keeps while it waits. */
export function isFutureState(type: string): boolean {
  return state.test(type);
}

/** Whether its variables are gone in this state, though the debug information lists them. */
export function isFutureOver(type: string): boolean {
  return over.test(type);
}

/** The state with the 1-based line of the `.await` at which it waits; 0: not known. */
export function stateName(type: string, line: number): string {
  const waits = state.exec(type)?.[1] !== undefined;
  return waits && line > 0 ? `${type}@${line}` : type;
}
