import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { ownProcesses, programsBelow } from '../plain/programs.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { showCrash } from './crashPage.ts';
import { debugType, joinSession } from './debugging.ts';
import type { ViewRow } from './sessionsView.ts';
import type { StrobeHost } from './strobeHost.ts';
import { showTimeline } from './timelinePage.ts';
import type { TracedLinesView } from './tracedLinesView.ts';

/** All commands of package.json but those of views. A command of a session asks for one when it is called without. */
export function registerCommands(strobe: StrobeHost, lines: TracedLinesView): vscode.Disposable[] {
  /** `named`: the function that is meant; else that at the cursor. */
  const command = (
    name: string,
    work: (row?: ViewRow, named?: string) => Promise<unknown>,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(`strobe.${name}`, async (row?: ViewRow, named?: unknown) =>
      strobe.attempt(async () => work(row, typeof named === 'string' ? named : undefined)),
    );
  const onSession = (
    name: string,
    work: (session: SessionRow, named?: string) => Promise<unknown>,
  ) =>
    command(name, async (row, named) => {
      const isGiven = row?.kind === 'session' || row?.kind === 'function';
      const session = isGiven ? row.session : await strobe.chooseSession(!ended.has(name));
      if (session !== undefined) await work(session, named);
    });
  /** The person decides about all sessions of their own account. */
  const act = async (action: string, sessionId: string): Promise<void> => {
    await strobe.server.call('debug_session', { action, sessionId, takeOver: true });
    await strobe.feed.refresh();
  };
  return [
    command('refresh', async () => strobe.feed.refresh()),
    onSession('join', async ({ id, program }) => joinSession(id, program)),
    onSession('stop', async ({ id }) => act('stop', id)),
    onSession('detach', async ({ id }) => act('detach', id)),
    onSession('delete', async ({ id }) => act('delete', id)),
    onSession('showOutput', async ({ id }) => strobe.showAnswer('output', id, { tail: 500 })),
    onSession('showCalls', async (session) => showTimeline(strobe, session)),
    onSession('showCrash', async (session) => showCrash(strobe, session)),
    onSession('traceFunction', async (session, named) => lines.change(session, 'add', named)),
    onSession('traceLines', async (session, named) => lines.change(session, 'lines', named)),
    onSession('untraceFunction', async (session, named) => lines.change(session, 'remove', named)),
    command('attach', async () => {
      const pid = await pickProcess();
      if (pid === undefined) return;
      const name = `Strobe: pid ${pid}`;
      const attach = { type: debugType, request: 'attach', name, pid: Number(pid) };
      await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], attach);
    }),
    command('pickProcess', pickProcess),
    command('pickProgram', async () => pickProgram(strobe.cwd())),
    command('doctor', async () => {
      const shellPath = strobe.path();
      vscode.window
        .createTerminal({ name: 'strobe doctor', shellPath, shellArgs: ['doctor'] })
        .show();
      await Promise.resolve();
    }),
    command('openDaemonSettings', openDaemonSettings),
  ];
}

/** Commands that also fit sessions that have ended. */
const ended = new Set(['showOutput', 'showCalls', 'showCrash', 'delete']);

async function pickProcess(): Promise<string | undefined> {
  const items = ownProcesses().then((found) =>
    found.map(({ pid, command }) => ({ label: String(pid), description: command })),
  );
  const options = { placeHolder: 'Process to attach to', matchOnDescription: true };
  return (await vscode.window.showQuickPick(items, options))?.label;
}

async function pickProgram(root: string): Promise<string | undefined> {
  const found = await programsBelow(root);
  if (found.length === 0) {
    const chosen = await vscode.window.showOpenDialog({ title: 'Program to launch' });
    return chosen?.[0]?.fsPath;
  }
  const items = found.map(({ path, changedMs }) => ({
    label: relative(root, path),
    description: new Date(changedMs).toLocaleString(),
    path,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: 'Program to launch' }))?.path;
}

/** Those of the daemon, a file that the schema of package.json completes and checks. */
async function openDaemonSettings(): Promise<void> {
  const home = process.env['STROBE_HOME'] ?? join(homedir(), '.strobe');
  const file = vscode.Uri.file(join(home, 'settings.json'));
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    await vscode.workspace.fs.writeFile(file, Buffer.from('{\n}\n'));
  }
  await vscode.window.showTextDocument(file);
}
