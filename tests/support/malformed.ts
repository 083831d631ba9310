/** Numbers from a seed, the same on every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Names and values that MCP, the tools and the run protocol know: wrong in the right places. */
const vocabulary = {
  methods: [
    'initialize',
    'server/discover',
    'tools/call',
    'tools/list',
    'ping',
    'resources/read',
    'completion/complete',
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'strobe/hello',
    'strobe/status',
    'strobe/run/prepare',
    'strobe/run/start',
    'strobe/run/wait',
    'strobe/run/abandon',
    'strobe/none',
    '',
    '__proto__',
    'constructor',
  ],
  tools: [
    'debug_launch',
    'debug_session',
    'debug_trace',
    'debug_query',
    'debug_test',
    'debug_stop',
    'toString',
    '../debug_query',
  ],
  keys: [
    'action',
    'view',
    'sessionId',
    'command',
    'args',
    'cwd',
    'env',
    'projectRoot',
    'patterns',
    'pattern',
    'add',
    'cursor',
    'limit',
    'budget',
    'function',
    'matches',
    'timeFrom',
    'testRunId',
    'requestId',
    'stdin',
    'file',
    'supervisorAnswer',
    'clientId',
    'umask',
    'leader',
    'protocolVersion',
    'capabilities',
    '_meta',
    'progressToken',
    'requestId',
    '__proto__',
    'constructor',
    'toJSON',
    'then',
  ],
  texts: [
    '',
    '../../x',
    '/etc/passwd',
    '/dev/zero',
    'a\0b',
    'a\nb',
    '\u001b[2J\u001b]0;x\u0007',
    '\ud800',
    '%s%n',
    '$(touch pwned)',
    '`touch pwned`',
    "'; DROP TABLE sessions; --",
    '(((((((((((a+)+)+)+)+)+)+)+)+)+)+)$',
    '**********************************************x',
    '@file:../../**',
    '{{constructor.constructor("return process")()}}',
    'status',
    'list',
    'events',
    'tree',
    'c99999999999.1',
    '-99999999999999999999s',
    'x'.repeat(5000),
  ],
} as const;

/** An endless row of messages that are wrong in some way, as lines without their line feed. */
export function malformedLines(seed: number): () => Buffer {
  const random = seeded(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const one = <T>(list: readonly T[], fallback: T): T => list[below(list.length)] ?? fallback;

  function value(depth: number): unknown {
    switch (below(depth > 4 ? 6 : 9)) {
      case 0:
        return null;
      case 1:
        return random() < 0.5;
      case 2:
        return one([0, -1, 1e308, -0.5, 2 ** 53, Number.MIN_VALUE, 4294967296], 0);
      case 3:
      case 4:
      case 5:
        return one(vocabulary.texts, '');
      case 6:
        return Array.from({ length: below(4) }, () => value(depth + 1));
      default:
        return object(depth + 1);
    }
  }

  function object(depth: number): Record<string, unknown> {
    const entries = Array.from(
      { length: below(6) },
      () => [one(vocabulary.keys, 'x'), value(depth)] as const,
    );
    return Object.fromEntries(entries);
  }

  function message(): Record<string, unknown> {
    const method = one(vocabulary.methods, '');
    const params =
      method === 'tools/call' || random() < 0.4
        ? // The key that no tool has keeps a request from ever being a good one.
          { name: one(vocabulary.tools, 'x'), arguments: { ...object(0), wrongOnPurpose: 1 } }
        : { ...object(0), ...(method.startsWith('strobe/run') ? { wrongOnPurpose: 1 } : {}) };
    return {
      jsonrpc: one(['2.0', '2.0', '2.0', '1.0', 2], '2.0'),
      id: one([below(1000), 'text', null, -1, 1.5, undefined, true, {}], 0),
      method: random() < 0.05 ? value(0) : method,
      params: random() < 0.1 ? value(0) : params,
      ...(random() < 0.1 ? { result: value(0) } : {}),
      ...(random() < 0.1 ? { error: value(0) } : {}),
    };
  }

  /** A request that is right but for what the tool is asked. */
  function call(): Record<string, unknown> {
    const chosen = {
      action: one(['status', 'list', 'wait', 'input', 'stop', 'retain', 'delete', 'run'], 'list'),
      view: one(['events', 'tree', 'stats', 'output', 'diff', 'sql'], 'events'),
    };
    const wrong = { ...(random() < 0.7 ? chosen : {}), ...object(0), wrongOnPurpose: value(0) };
    const name = one(vocabulary.tools.slice(0, 5), '');
    const isRun = random() < 0.15;
    return {
      jsonrpc: '2.0',
      id: below(100_000),
      method: isRun
        ? `strobe/run/${one(['prepare', 'start', 'wait', 'abandon'], '')}`
        : 'tools/call',
      params: isRun ? wrong : { name, arguments: wrong },
    };
  }

  function bytes(length: number): Buffer {
    const made = Buffer.alloc(length);
    for (let at = 0; at < length; at++) made[at] = below(256);
    return made;
  }

  function damaged(line: Buffer): Buffer {
    switch (below(4)) {
      case 0:
        return line.subarray(0, below(line.length));
      case 1: {
        const copy = Buffer.from(line);
        for (let times = 0; times < 5; times++) copy[below(copy.length)] = below(256);
        return copy;
      }
      case 2:
        return Buffer.concat([line, line]);
      default:
        return Buffer.concat([line.subarray(0, below(line.length)), bytes(20), line]);
    }
  }

  function text(): Buffer {
    if (random() < 0.4) return Buffer.from(JSON.stringify(call()));
    const kind = below(10);
    if (kind === 0) return bytes(1 + below(300));
    if (kind === 1) return Buffer.from('['.repeat(1 + below(3000)));
    if (kind === 2) return Buffer.from(JSON.stringify([message(), message()]));
    if (kind === 3) return Buffer.from(JSON.stringify(value(0)) ?? 'null');
    const made = Buffer.from(JSON.stringify(message()));
    return kind < 6 ? damaged(made) : made;
  }

  return () => {
    const made = Buffer.from(text());
    for (let at = made.indexOf(10); at >= 0; at = made.indexOf(10, at)) made[at] = 32;
    return made;
  };
}
