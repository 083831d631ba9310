import * as vscode from 'vscode';
import type { StrobeHost } from './strobeHost.ts';

/** Offers `strobe mcp` to the editor's own agents. */
export function registerMcpServer(strobe: StrobeHost): vscode.Disposable {
  return vscode.lm.registerMcpServerDefinitionProvider('strobe', {
    provideMcpServerDefinitions: () => {
      try {
        const server = new vscode.McpStdioServerDefinition('Strobe', strobe.path(), ['mcp']);
        server.cwd = vscode.Uri.file(strobe.cwd());
        server.version = strobe.version;
        return [server];
      } catch {
        return []; // Not installed or not trusted: the views say so.
      }
    },
  });
}
