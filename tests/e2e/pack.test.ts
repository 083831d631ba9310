import Database from 'better-sqlite3';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { seal, unseal } from '../../src/db/packSeal.ts';
import { installPaths } from '../../src/base/installPaths.ts';
import { openHome } from '../support/home.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('packed sessions', () => {
  const { home: here, client } = withClient();
  const { home: there, client: other } = withClient();
  let orders: string;
  let crashed: string;
  beforeAll(async () => {
    const options = { args: ['10', '120'], patterns: ['orders::*'] };
    orders = (await runToEnd(client, here, buildTarget('e2e/orders.cpp'), options)).sessionId;
    crashed = (await runToEnd(client, here, buildTarget('e2e/uncaught.cpp'))).sessionId;
  });

  /** Carries a session to the other home, as a person would a file. */
  const carry = async (sessionId: string): Promise<string> => {
    const packed = await client.ok('debug_session', { action: 'pack', sessionId });
    const file = join(there.project, `${sessionId}.strobe`);
    copyFileSync(textAt(packed.structured, 'path'), file);
    return file;
  };

  /** What somebody may make of a pack who knows how they are made. */
  const rewrite = (path: string, change: (db: Database.Database) => void): void => {
    expect(unseal(path)).toBe(true);
    const db = new Database(path, { nativeBinding: installPaths().sqlite });
    change(db);
    db.close();
    seal(path);
  };

  /**
   * Without what differs from one moment or home to the next: ages, where the answer comes from,
   * and a total that takes long to count.
   */
  const lasting = (structured: unknown): object => {
    const differing = new Set(['about', 'notes', 'totalCount']);
    return Object.fromEntries(
      Object.entries(structured ?? {}).filter(([name]) => !differing.has(name)),
    );
  };

  test('[session.pack] everything is answered in another home as it is here', async () => {
    const opened = await other.ok('debug_session', { action: 'open', path: await carry(orders) });
    expect(opened.structured).toMatchObject({ sessionId: orders, wasHere: false, state: 'ended' });
    expect(opened.text).toContain('Opened from a pack made on');
    const questions = [
      { view: 'events', limit: 20 },
      { view: 'events', text: 'refused' },
      {
        view: 'events',
        function: { equals: 'orders::store' },
        argument: [{ name: 'amount', lt: 0 }],
      },
      { view: 'tree', selfTime: true },
      { view: 'stats', groupBy: 'caller' },
      { view: 'output' },
      { view: 'crash' },
      { view: 'sql', sql: "SELECT end, count(*) FROM calls('orders::store') GROUP BY 1" },
      { view: 'diff', timeTo: '-1ms', other: { timeFrom: '-1ms' } },
    ];
    for (const question of questions) {
      const asked = { sessionId: orders, budget: 8000, ...question };
      const [mine, theirs] = [
        await client.ok('debug_query', asked),
        await other.ok('debug_query', asked),
      ];
      expect(lasting(theirs.structured)).toEqual(lasting(mine.structured));
      expect(Object.keys(lasting(mine.structured)).length).toBeGreaterThan(5);
    }
    const exports = await Promise.all(
      [client, other].map(async (one) => {
        const asked = { action: 'export', sessionId: orders, format: 'csv' };
        const answer = await one.ok('debug_session', asked);
        return readFileSync(textAt(answer.structured, 'path'), 'utf8');
      }),
    );
    expect(exports[1]).toBe(exports[0]);
    const listed = await other.ok('debug_session', { action: 'list' });
    expect(listAt(listed.structured, 'sessions').map((one) => at(one, 'sessionId'))).toContain(
      orders,
    );
  });

  test('[session.pack] a crash is explained in another home, with its source', async () => {
    await other.ok('debug_session', { action: 'open', path: await carry(crashed) });
    const asked = { view: 'crash', sessionId: crashed };
    const [mine, theirs] = [
      await client.ok('debug_query', asked),
      await other.ok('debug_query', asked),
    ];
    expect(at(theirs.structured, 'crashed')).toBe(true);
    expect(at(theirs.structured, 'story')).toEqual(at(mine.structured, 'story'));
    const status = { action: 'status', sessionId: crashed };
    const was = (await client.ok('debug_session', status)).structured;
    const is = (await other.ok('debug_session', status)).structured;
    expect(at(is, 'session', 'exit')).toEqual(at(was, 'session', 'exit'));
    expect(at(is, 'hooks')).toEqual(at(was, 'hooks'));
    expect(at(is, 'output')).toEqual(at(was, 'output'));
  });

  test('[session.pack] a session that still runs is packed as it is, and does not run there', async () => {
    const command = buildTarget('e2e/ticker.cpp');
    const { sessionId } = await launch(client, here, command, { patterns: ['*'] });
    const wait = { action: 'wait', sessionId, for: ['event'], timeoutMs: 20_000 };
    await client.ok('debug_session', wait);
    const file = await carry(sessionId);
    await client.ok('debug_session', { action: 'stop', sessionId });
    const opened = await other.ok('debug_session', { action: 'open', path: file });
    expect(at(opened.structured, 'state')).toBe('released');
    expect(opened.text).toContain('It ran when it was packed.');
    const counted = await other.ok('debug_query', { view: 'stats', sessionId });
    expect(listAt(counted.structured, 'rows').length).toBeGreaterThan(0);
  });

  test('[session.pack] a pack that is here already, and files that are none', async () => {
    const file = await carry(orders);
    const again = await client.ok('debug_session', { action: 'open', path: file });
    expect(again.structured).toMatchObject({ sessionId: orders, wasHere: true });
    const refused = async (path: string): Promise<string> =>
      (await other.refused('debug_session', { action: 'open', path })).text;
    writeFileSync(join(there.project, 'text'), 'no database at all, only words and words');
    expect(await refused(join(there.project, 'text'))).toMatch(
      /BAD_PARAMETER.*text cannot be opened: it is no packed session/,
    );
    expect(await refused(join(there.project, 'missing'))).toMatch(/BAD_PARAMETER.*is no file/);
    const damaged = (name: string, change: (db: Database.Database) => void): string => {
      const path = join(there.project, name);
      copyFileSync(file, path);
      rewrite(path, change);
      return path;
    };
    const odd = damaged('odd', (db) => {
      db.exec('CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; END');
    });
    expect(await refused(odd)).toContain(
      `${odd} cannot be opened: its tables are not those of a session`,
    );
    const away = damaged('away', (db) => {
      db.exec(`UPDATE packed SET json = json_set(json, '$.view.id', '../../outside')`);
    });
    expect(await refused(away)).toMatch(/does not say what session it holds \(view\.id\)/);
    const plain = damaged('plain', (db) => db.exec('PRAGMA application_id = 7'));
    expect(await refused(plain)).toMatch(/it is no packed session/);
    const folders = readdirSync(join(there.path, 'sessions'));
    expect(folders.filter((name) => name.startsWith('opening-'))).toEqual([]);
  });

  test('[session.pack] a session that was deleted and opened again is read anew', async () => {
    const path = await carry(orders);
    const open = async (): Promise<number> => {
      await other.ok('debug_session', { action: 'open', path });
      const { structured } = await other.ok('debug_query', { view: 'output', sessionId: orders });
      return listAt(structured, 'lines').length;
    };
    expect(await open()).toBeGreaterThan(0);
    await other.ok('debug_session', { action: 'delete', sessionId: orders });
    rewrite(path, (db) => db.exec('DELETE FROM output'));
    expect(await open()).toBe(0);
  });

  test('[session.pack] calls whose bytes do not fit together are not told', async () => {
    const path = await carry(orders);
    await other.ok('debug_session', { action: 'delete', sessionId: orders });
    rewrite(path, (db) => db.exec('UPDATE columns SET data = substr(data, 2) WHERE key % 16 = 3'));
    await other.ok('debug_session', { action: 'open', path });
    for (const view of ['events', 'tree']) {
      const { text } = await other.refused('debug_query', { view, sessionId: orders });
      expect(text).toMatch(/^STORE_FAILED: A block of calls is damaged/);
    }
    const csv = { action: 'export', sessionId: orders, format: 'csv' };
    expect((await other.refused('debug_session', csv)).text).toContain('calls is damaged');
    const stats = await other.ok('debug_query', { view: 'stats', sessionId: orders });
    expect(listAt(stats.structured, 'rows').length).toBeGreaterThan(0);
  });

  test('[session.pack] packs that are damaged, too new, or say of themselves what cannot be', async () => {
    const file = await carry(crashed);
    const path = join(there.project, 'changed');
    const changed = async (sql: string): Promise<string> => {
      copyFileSync(file, path);
      rewrite(path, (db) => db.exec(sql));
      const { text } = await other.refused('debug_session', { action: 'open', path });
      expect(text).not.toMatch(/INTERNAL|free space/);
      return text;
    };
    const says = (where: string, value: string): Promise<string> =>
      changed(`UPDATE packed SET json = json_set(json, '$.${where}', ${value})`);
    expect(await says('packedAtMs', '1e300')).toContain('(packedAtMs)');
    expect(await says('view.startedAtMs', '9e15')).toContain('(view.startedAtMs)');
    expect(await says('view.notes', 'json_array(hex(zeroblob(9000000)))')).toContain(
      'it says more of itself than a session does',
    );
    expect(await changed('PRAGMA user_version = 99')).toMatch(
      /written by a newer Strobe.*\nNext: Use that version of Strobe/,
    );
    writeFileSync(path, readFileSync(file).subarray(0, -20_000));
    seal(path);
    expect((await other.refused('debug_session', { action: 'open', path })).text).toMatch(
      /malformed\nNext: The file is damaged: use a whole copy of it/,
    );
    const unreadable = { action: 'open', path: '/proc/self/mem' };
    expect((await other.refused('debug_session', unreadable)).text).toMatch(
      /BAD_PARAMETER.*mem cannot be read/,
    );
    expect(readdirSync(join(there.path, 'sessions')).join()).not.toContain('opening-');
  });

  test('[session.pack] a pack of which any bit is another, or a part is missing, is not opened', async () => {
    const file = await carry(crashed);
    const path = join(there.project, 'copied badly');
    const bytes = readFileSync(file);
    const places = [100, bytes.length / 3, bytes.length / 2, bytes.length - 45, bytes.length - 1];
    const flipped = places.map((place) => {
      const byte = Math.floor(place);
      return Buffer.concat([bytes.subarray(0, byte), flip(bytes, byte), bytes.subarray(byte + 1)]);
    });
    for (const changed of [...flipped, bytes.subarray(0, -4096), Buffer.concat([bytes, bytes])]) {
      writeFileSync(path, changed);
      expect((await other.refused('debug_session', { action: 'open', path })).text).toBe(
        `STORE_FAILED: ${path} cannot be opened: it is damaged: its bytes are not those that were packed.\nNext: Use a whole copy of it, or pack the session again.`,
      );
    }
    expect(readdirSync(join(there.path, 'sessions')).join()).not.toContain('opening-');
  });

  test('[store.damaged] what a session says of itself and is no JSON any more is told as damage', async () => {
    const path = await carry(orders);
    await other.ok('debug_session', { action: 'delete', sessionId: orders });
    rewrite(path, (db) => db.exec('UPDATE summary SET json = substr(json, 2)'));
    await other.ok('debug_session', { action: 'open', path });
    for (const asked of [
      { view: 'events' },
      { view: 'tree' },
      { view: 'stats' },
      { view: 'output' },
      { view: 'sql', sql: 'SELECT count(*) FROM calls' },
      { action: 'export', format: 'csv' },
    ]) {
      const { text } = await other.refused('action' in asked ? 'debug_session' : 'debug_query', {
        ...asked,
        sessionId: orders,
      });
      expect(text).toMatch(
        /^STORE_FAILED: The file of the session is damaged\.\nNext: Use a whole/,
      );
    }
    await other.ok('debug_session', { action: 'delete', sessionId: orders });
  });

  test('[session.pack] a pack for reading alone is opened as a store that can be written to', async () => {
    const file = await carry(crashed);
    chmodSync(file, 0o444);
    await client.ok('debug_session', { action: 'delete', sessionId: crashed });
    await client.ok('debug_session', { action: 'open', path: file });
    const store = join(here.path, 'sessions', crashed, 'session.db');
    expect(statSync(store).mode & 0o777).toBe(0o600);
  });

  test('[session.pack] strobe session pack and open, from one folder to another', async () => {
    const cwd = join(here.project, 'packs');
    mkdirSync(cwd);
    const packed = await runStrobe({ env: here.env, cwd }, ['session', 'pack', orders]);
    expect(packed.stderr).toBe('');
    const file = join(cwd, `${orders}.strobe`);
    expect(packed.stdout.toString()).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd)).toEqual([`${orders}.strobe`]);
    const third = openHome();
    const opened = await runStrobe({ env: third.env, cwd }, [
      'session',
      'open',
      `${orders}.strobe`,
    ]);
    expect(opened.stderr).toBe('');
    const tree = await runStrobe({ env: third.env, cwd }, ['query', 'tree', orders]);
    expect(tree.stdout.toString()).toContain('orders::handle');
    await third.close();
  });
});

/** The byte there with its lowest bit turned. */
function flip(bytes: Buffer, place: number): Buffer {
  return Buffer.from([(bytes[place] ?? 0) ^ 1]);
}
