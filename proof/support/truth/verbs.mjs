/* Random verbs of a debugger, as calls of tools. */

/** What a storm knows when a verb is chosen: `breakpoints` ids, `stops` ids, `threads` numbers. */
export function randomVerb(random, language, known) {
  const some = (list) => list[Math.floor(random() * list.length)];
  const chance = (share) => random() < share;
  const wait = () => some([0, 0, 50, 200]);
  const stopOf = (share) =>
    known.stops.length > 0 && chance(share) ? { stop: some(known.stops) } : {};
  const go = (action, more = {}) => ({
    tool: 'debug_continue',
    args: { action, timeoutMs: wait(), ...more },
  });
  const look = (view, more = {}) => ({
    tool: 'debug_inspect',
    args: { view, ...stopOf(0.5), ...more },
  });

  const breakAdd = () => {
    const place = chance(0.3)
      ? { function: some(language.functions) }
      : { ...some(language.places) };
    const how = some([
      {},
      { condition: language.never },
      { condition: language.often },
      { every: 40 },
      { after: 10 },
      { once: true },
      { at: 7 },
    ]);
    // Conditions name a variable that whole() has not.
    const isPlain = how.condition !== undefined && !/leaf|part/.test(place.function ?? 'leaf');
    const stop = chance(0.25) ? { stop: 'process' } : {};
    return {
      tool: 'debug_breakpoint',
      args: { add: [{ ...place, ...(isPlain ? {} : how), ...stop }] },
    };
  };
  const breakChange = () =>
    known.breakpoints.length === 0
      ? breakAdd()
      : {
          tool: 'debug_breakpoint',
          args: { change: [{ id: some(known.breakpoints), enabled: chance(0.5) }] },
        };
  const breakRemove = () =>
    known.breakpoints.length === 0
      ? breakAdd()
      : {
          tool: 'debug_breakpoint',
          args: { remove: [chance(0.3) ? 'all' : some(known.breakpoints)] },
        };
  const knob = () => some(language.knobs);
  const write = () => ({
    tool: 'debug_memory',
    args: {
      do: [{ write: knob().name, value: Math.floor(random() * 2000) - 1000 }],
      ...stopOf(0.3),
    },
  });
  const read = () => ({
    tool: 'debug_memory',
    args: { do: [{ read: knob().name }, { read: knob().name }], ...stopOf(0.3) },
  });

  const verbs = [
    [8, breakAdd],
    [5, breakChange],
    [6, breakRemove],
    [14, () => go('continue', stopOf(0.4))],
    [6, () => go('over', stopOf(0.4))],
    [6, () => go('into', stopOf(0.4))],
    [4, () => go('out', stopOf(0.4))],
    [3, () => go('until', { to: some(language.until), ...stopOf(0.4) })],
    [language.isNative ? 4 : 0, () => go('instruction', stopOf(0.4))],
    [6, () => go('pause')],
    [4, () => go('pause', { thread: some(known.threads) })],
    [8, () => go('wait')],
    [4, () => look('context')],
    [5, () => look('stack')],
    [3, () => look('locals', { frame: Math.floor(random() * 3) })],
    [language.isNative ? 5 : 0, () => look('registers')],
    [language.isNative ? 2 : 0, () => look('disassembly')],
    [5, write],
    [5, read],
    [language.isNative ? 3 : 0, () => ({ outside: knob(), value: Math.floor(random() * 2000) })],
    [3, () => ({ tool: 'debug_trace', args: { add: [some(language.functions)] } })],
    [3, () => ({ tool: 'debug_trace', args: { remove: [some(language.functions)] } })],
    [2, () => ({ tool: 'debug_query', args: { view: 'stats' } })],
    [1, () => ({ renew: some(['stop', 'end', ...(language.isNative ? ['attach'] : [])]) })],
  ];
  const total = verbs.reduce((sum, [weight]) => sum + weight, 0);
  let at = random() * total;
  for (const [weight, make] of verbs) {
    at -= weight;
    if (at < 0) return make();
  }
  return go('wait');
}
