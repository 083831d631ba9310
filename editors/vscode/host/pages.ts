import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { numberMember, textMember } from '../../../src/client/messages.ts';
import type { SourcePlace } from '../plain/sourcePlace.ts';

/** What a page asks of the extension besides opening a source. */
export type PageAsks = (message: unknown, answer: (message: object) => void) => Promise<void>;

/** Opens a page beside the editors: our markup and script alone, nothing from elsewhere. */
export function openPage(
  title: string,
  { markup, script }: { readonly markup: string; readonly script: string },
  asks: PageAsks,
): vscode.WebviewPanel {
  const options = { enableScripts: true, localResourceRoots: [], enableFindWidget: true };
  const panel = vscode.window.createWebviewPanel(
    'strobe',
    title,
    vscode.ViewColumn.Beside,
    options,
  );
  const nonce = randomBytes(16).toString('hex');
  panel.webview.onDidReceiveMessage(async (message: unknown) => {
    if (textMember(message, 'kind') === 'open')
      await openPlace({
        path: textMember(message, 'path'),
        line: numberMember(message, 'line', 1),
      });
    else await asks(message, (answer) => void panel.webview.postMessage(answer));
  });
  panel.webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${style}</style></head><body>${markup}<script nonce="${nonce}">const editor = acquireVsCodeApi();
${script}</script></body></html>`;
  return panel;
}

/** Shows a line beside a page, else where editors are. */
export async function openPlace({ path, line }: SourcePlace): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(path), {
    viewColumn: vscode.ViewColumn.One,
    selection: new vscode.Range(line - 1, 0, line - 1, 0),
  });
}

/** A text within markup. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const style = `
body { font: var(--vscode-editor-font-size) var(--vscode-editor-font-family); color: var(--vscode-editor-foreground); background: var(--vscode-editor-background); padding: 0 8px; }
h2 { font-size: 1.1em; margin: 1em 0 .3em; } pre { margin: 0; white-space: pre-wrap; }
a { color: var(--vscode-textLink-foreground); cursor: pointer; text-decoration: underline; } a:focus, #list:focus .current { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; } #list:focus { outline: none; }
#head { height: 24px; line-height: 24px; } #list { position: absolute; top: 24px; bottom: 0; left: 0; right: 0; overflow: auto; }
.row { position: absolute; left: 8px; right: 8px; height: 20px; line-height: 20px; white-space: pre; overflow: hidden; text-overflow: ellipsis; cursor: pointer; }
.row:hover { background: var(--vscode-list-hoverBackground); }
.changed { color: var(--vscode-charts-yellow); font-weight: bold; }
.at, .took { color: var(--vscode-descriptionForeground); } .name { color: var(--vscode-symbolIcon-functionForeground); }
`;
