import type * as vscode from 'vscode';
import { registerCommands } from './commands.ts';
import { registerDebugging } from './debugging.ts';
import { registerMcpServer } from './mcpServer.ts';
import { registerSessionsView } from './sessionsView.ts';
import { StrobeHost } from './strobeHost.ts';

/** Called by VS Code; starts nothing yet. */
export function activate(context: vscode.ExtensionContext): void {
  const strobe = new StrobeHost(context);
  context.subscriptions.push(
    strobe,
    ...registerDebugging(strobe),
    ...registerSessionsView(strobe),
    ...registerCommands(strobe),
    registerMcpServer(strobe),
  );
}
