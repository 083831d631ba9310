import type * as vscode from 'vscode';
import { registerCommands } from './commands.ts';
import { registerDebugging } from './debugging.ts';
import { registerLenses } from './functionLenses.ts';
import { registerMcpServer } from './mcpServer.ts';
import { registerSessionsView } from './sessionsView.ts';
import { StrobeHost } from './strobeHost.ts';
import { registerTests } from './testExplorer.ts';
import { TracedLinesView } from './tracedLinesView.ts';
import { registerWatchesView } from './watchesView.ts';

/** Called by VS Code; starts nothing yet. */
export function activate(context: vscode.ExtensionContext): void {
  const strobe = new StrobeHost(context);
  const lines = new TracedLinesView(strobe);
  context.subscriptions.push(
    strobe,
    lines,
    ...registerDebugging(strobe),
    ...registerSessionsView(strobe),
    ...registerWatchesView(strobe),
    ...registerCommands(strobe, lines),
    registerLenses(strobe, lines),
    registerMcpServer(strobe),
    ...registerTests(strobe),
  );
}
