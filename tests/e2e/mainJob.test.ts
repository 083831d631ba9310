import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { eras, startClient } from '../support/client.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';
import { installPaths } from '../../src/base/installPaths.ts';

describe('the main job', () => {
  const home = withHome();
  const { ledger } = installPaths();

  for (const era of eras) {
    test(`[mcp.eras] [mcp.structured] finds why the ledger is out of balance, as a ${era} client`, async () => {
      const client = await startClient(home, era);
      expect(client.protocolVersion).toMatch(era === 'v2' ? /^2026-07-28$/ : /^2025-/);
      expect(client.tools.map((tool) => tool.name)).toEqual([
        'debug_launch',
        'debug_session',
        'debug_trace',
        'debug_query',
        'debug_test',
        'debug_breakpoint',
        'debug_continue',
        'debug_inspect',
        'debug_memory',
        'debug_channel',
        'debug_ui',
      ]);
      const projectRoot = join(packageRoot, 'demo', 'ledger');
      const { sessionId, text } = await launch(client, home, ledger, { projectRoot });
      expect(text).toContain(sessionId);
      const complaint = await outputSeen(client, sessionId, 'AUDIT');
      expect(complaint.line).toMatch(/out of balance/);

      const traced = await client.ok('debug_trace', { sessionId, add: ['settle::**'] });
      expect(listAt(traced.structured, 'activePatterns')).toHaveLength(1);
      await client.ok('debug_session', {
        action: 'wait',
        sessionId,
        for: ['event'],
        match: 'settle::Gateway::confirm',
      });
      await outputSeen(client, sessionId, 'AUDIT', complaint.cursor);
      await outputSeen(client, sessionId, 'AUDIT');

      const stats = await client.ok('debug_query', { view: 'stats', sessionId, sortBy: 'count' });
      expect(
        listAt(stats.structured, 'rows').map((row) => at(row, 'function') ?? at(row, 'key')),
      ).toContain('settle::DuplicateGuard::remember');
      const tree = await client.ok('debug_query', {
        view: 'tree',
        sessionId,
        root: 'settle::Processor::settle',
      });
      expect(textAt(tree.structured, 'tree')).toMatch(/settle[\s\S]*book[\s\S]*credit/);
      // A program that makes calls faster than pages are read has no last page.
      await client.ok('debug_session', { action: 'stop', sessionId });
      const short = await callsOf(client, sessionId, {
        function: { equals: 'settle::DuplicateGuard::remember' },
        argument: [{ name: 'windowMs', lt: 1000 }],
      });
      expect(short.length).toBeGreaterThan(0);
      for (const call of short) {
        expect(call.arguments['paymentId']).toMatch(/^tr-\d{6}$/);
        expect(call.arguments['windowMs']).toBe(45);
        expect(call.threadName).toMatch(/^settler-[123]$/);
      }
    });
  }

  for (const era of eras) {
    test(`[mcp.progress] a launch tells a ${era} client what is being done`, async () => {
      const client = await startClient(home, era);
      const { sessionId } = await launch(client, home, ledger, { patterns: ['settle::**'] });
      await client.ok('debug_session', { action: 'stop', sessionId });
      expect(client.progress.filter((message) => message !== '').length).toBeGreaterThan(0);
    });
  }

  test('[mcp.descriptions] descriptions and instructions are under 2 KB and tools have output schemas', async () => {
    const listed = await startClient(home, 'v2');
    for (const tool of listed.tools) {
      expect(Buffer.byteLength(tool.description)).toBeLessThan(2048);
      expect(tool.description).toMatch(/Example: \{/);
      expect(Buffer.byteLength(JSON.stringify(tool.outputSchema ?? null))).toBeGreaterThan(100);
    }
    expect(Buffer.byteLength(listed.instructions)).toBeGreaterThan(100);
    expect(Buffer.byteLength(listed.instructions)).toBeLessThan(2048);
    await listed.close();
  });
});
