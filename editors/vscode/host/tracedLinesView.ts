import * as vscode from 'vscode';
import { functionOnLine } from '../plain/functionOnLine.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { changeTrace, TracedLines, type TracedLine } from '../plain/tracedLines.ts';
import { functionName, isFunction, symbolsOf } from './documentSymbols.ts';
import type { StrobeHost } from './strobeHost.ts';

/** Calls, times and last values beside the lines of traced functions, and tracing from a line. */
export class TracedLinesView implements vscode.Disposable {
  readonly #strobe: StrobeHost;
  readonly #lines: TracedLines;
  readonly #kind = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
  });
  readonly #shown = new vscode.EventEmitter<void>();
  readonly onShown = this.#shown.event;
  #found: readonly TracedLine[] = [];
  /** On what it depends what stands above functions, as it was. */
  #stands = '';
  #isAsking = false;

  constructor(strobe: StrobeHost) {
    this.#strobe = strobe;
    this.#lines = new TracedLines(strobe.server);
    strobe.onSessions(() => void this.#show());
  }

  dispose(): void {
    this.#kind.dispose();
    this.#shown.dispose();
  }

  /** The traced functions of a file. */
  functionsIn(path: string): readonly TracedLine[] {
    return this.#found.filter(({ place, isHit }) => place.path === path && !isHit);
  }

  /** Traces (`lines`: also which lines run), or no longer traces, a function in this session; without a name that at the cursor. */
  async change(
    session: SessionRow,
    kind: 'add' | 'lines' | 'remove',
    named?: string,
  ): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const name = named ?? (editor === undefined ? null : await functionAt(editor));
    if (name === null)
      throw new Error('There is no function at the cursor. Put it on the name of one.');
    const added = kind === 'lines' ? { pattern: name, lines: true as const } : name;
    const change = kind === 'remove' ? { remove: [name] } : { add: [added] };
    const { status, isHooked } = await changeTrace(this.#strobe.server, session.id, change);
    if (!isHooked) throw new Error(status);
    vscode.window.setStatusBarMessage(`$(pulse) ${status}`, 5000);
    await this.#strobe.beginLines();
  }

  async #show(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const editors = vscode.window.visibleTextEditors;
      const files = new Set(editors.map(({ document }) => document.uri.fsPath));
      const live = this.#strobe.feed.rows.filter((row) => row.isLive);
      const found = await Promise.all(
        live.map(async (row) => this.#lines.of(row, files).catch(() => [])),
      );
      this.#found = found.flat();
      for (const editor of editors)
        editor.setDecorations(this.#kind, decorations(editor, this.#found));
      // A file may have thousands of functions: what stands above them is asked for again only where it differs.
      const stands = JSON.stringify([live.length > 0, this.#found.map(standsAbove)]);
      if (stands !== this.#stands) this.#shown.fire();
      this.#stands = stands;
    } finally {
      this.#isAsking = false;
    }
  }
}

function standsAbove({ place, name, tracedBy, session, isHit }: TracedLine): readonly unknown[] {
  return [place.path, place.line, name, tracedBy, session.id, isHit];
}

function decorations(
  { document }: vscode.TextEditor,
  lines: readonly TracedLine[],
): vscode.DecorationOptions[] {
  return lines
    .flatMap((line) => [line, ...line.ran.filter(({ place }) => place.line !== line.place.line)])
    .filter(({ place }) => place.path === document.uri.fsPath && place.line <= document.lineCount)
    .map(({ place, text }) => ({
      range: document.lineAt(place.line - 1).range,
      renderOptions: { after: { contentText: text } },
    }));
}

/** The function that the line names, else the one around it as the language's extension knows it. */
async function functionAt({ document, selection }: vscode.TextEditor): Promise<string | null> {
  const { line, character } = selection.active;
  const named = functionOnLine(document.lineAt(line).text, character);
  return named ?? around(await symbolsOf(document), selection.active);
}

function around(
  symbols: readonly vscode.DocumentSymbol[],
  position: vscode.Position,
): string | null {
  for (const symbol of symbols) {
    if (!symbol.range.contains(position)) continue;
    const inner = around(symbol.children, position);
    if (inner !== null) return inner;
    if (isFunction(symbol)) return functionName(symbol);
  }
  return null;
}
