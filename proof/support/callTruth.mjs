/* What a generated program wrote down of its calls (targets/generated/calls.hpp), as calls with their callers and ends. */

/** By thread id: `{ fn, given, parent, end, result }` in order; `parent`: a place in the list, or null. */
export function truthOf(text) {
  const threads = new Map();
  let thread = null;
  for (const line of text.split('\n')) {
    const [what, first, second] = line.split(' ');
    if (what === 'thread') threads.set(Number(first), (thread = new ThreadTruth()));
    else if (what !== '') thread.add(what, Number(first), second);
  }
  return new Map([...threads].map(([tid, { calls }]) => [tid, calls]));
}

class ThreadTruth {
  calls = [];
  /** Calls that are open on each stack, and the call that ran when it began. */
  #stacks = [{ open: [], above: null, bases: [] }];
  #current = this.#stacks[0];

  add(what, first, second) {
    const { open, above, bases } = this.#current;
    if (what === 'E') {
      const parent = open.at(-1) ?? above;
      open.push(this.calls.length);
      this.calls.push({ fn: first, given: second, parent, end: 'open', isTail: false });
    } else if (what === 'L') this.#ended(open.pop(), first, second);
    else if (what === 'T') this.calls[open.at(-1)].isTail = true;
    else if (what === 'B') this.#stacks.push({ open: [], above: open.at(-1) ?? above, bases: [] });
    else if (what === 'S') this.#current = this.#stacks[first];
    else if (what === 'A') bases.push(open.length);
    else if (what === 'X') this.#left(open, bases.at(-1), 'unwound');
    else if (what === 'Z') bases.pop();
    else this.#left(open, open.indexOf(first) + 1, what === 'U' ? 'unwound' : 'jumped');
  }

  #ended(call, fn, result) {
    if (this.calls[call].fn !== fn) throw new Error(`the program's own account is wrong at ${fn}`);
    Object.assign(this.calls[call], { end: 'returned', result });
    const { open } = this.#current;
    while (open.length > 0 && this.calls[open.at(-1)].isTail)
      Object.assign(this.calls[open.pop()], { end: 'tail', result });
  }

  #left(open, kept, end) {
    for (const call of open.splice(kept)) this.calls[call].end = end;
  }
}
