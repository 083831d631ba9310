import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { startOwned } from '../../../src/base/process.ts';
import { lookAtNode } from '../../../src/collector/look/lookAtNode.ts';
import { userIds } from '../../support/home.ts';
import { itNeeds } from '../../support/needs.ts';

const ws = JSON.stringify(createRequire(import.meta.url).resolve('ws'));
const listens = "listen(0, '127.0.0.1')); setInterval(() => {}, 1e6); console.log('ready');";

/** Programs that begin to listen themselves when they are asked for their inspector. */
const programs = {
  'a server that never comes to an end': `
const server = require('node:http').createServer((_, to) => setInterval(() => to.write('x'), 100));
process.on('SIGUSR1', () => server.${listens}`,
  'a server that speaks like an inspector at first': `
const { WebSocketServer } = require(${ws});
const server = require('node:http').createServer((_, to) =>
  to.end(JSON.stringify([{ webSocketDebuggerUrl: 'ws://localhost/x' }])));
new WebSocketServer({ server }).on('connection', (one) => one.send(Buffer.from('{"id":"?"}')));
process.on('SIGUSR1', () => server.${listens}`,
};

test.each(Object.entries(programs))(
  '[test.stuck-stacks] what is asked by mistake does no harm: %s',
  async (_what, source) => {
    await using program = await startOwned({ command: process.execPath, args: ['-e', source] });
    await new Promise((resolve) => program.stdout.once('data', resolve));
    const look = await lookAtNode(program.pid);
    expect(look?.frames ?? null).toBeNull();
    expect(look?.waitsFor ?? []).toEqual([]);
  },
);

itNeeds(
  'root',
  '[test.stuck-stacks] a process that takes no signal of ours is not looked at',
  async () => {
    const uid = `--reuid=${userIds.nobody}`;
    const source = "setInterval(() => {}, 1e6); console.log('ready')";
    await using program = await startOwned({
      command: 'setpriv',
      args: [uid, '--clear-groups', process.execPath, '-e', source],
    });
    await new Promise((resolve) => program.stdout.once('data', resolve));
    const ours = process.geteuid?.() ?? 0;
    process.seteuid?.(userIds.loner);
    const looked = lookAtNode(program.pid);
    process.seteuid?.(ours);
    expect(await looked).toBeNull();
  },
);
