/* A program run through debug_launch, its output read back by debug_query. */

/** As `runTraced`; the whole stdin is given before, then its end. */
export async function runPiped(product, { command, args, trace, cwd, env }) {
  const started = performance.now();
  const { sessionId, hooks } = await product.call('debug_launch', {
    command,
    args,
    cwd,
    env,
    projectRoot: cwd,
    patterns: trace,
  });
  const { exit } = await product.waitForExit(sessionId);
  const ms = performance.now() - started;
  const [stdout, stderr] = [
    await outputOf(product, sessionId, 'stdout'),
    await outputOf(product, sessionId, 'stderr'),
  ];
  const { text, counters } = await product.call('debug_query', { sessionId, view: 'stats' });
  const figures = { ...counters, hooked: hooks?.hookedFunctions ?? 0 };
  const end = exit.kind === 'exited' ? `status ${exit.code}` : exit.signal;
  return { end, ms, stdout, stderr, figures, report: text };
}

async function outputOf(product, sessionId, stream) {
  const lines = [];
  for (let cursor; ;) {
    const page = await product.call('debug_query', {
      sessionId,
      view: 'output',
      stream,
      budget: 50_000,
      ...(cursor ? { cursor } : {}),
    });
    lines.push(...page.lines);
    cursor = page.cursor;
    if (!page.hasMore) break;
  }
  return Buffer.from(lines.map((line) => `${line.text}\n`).join(''));
}
