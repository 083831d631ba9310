import * as vscode from 'vscode';
import { functionName, isFunction, symbolsOf } from './documentSymbols.ts';
import type { StrobeHost } from './strobeHost.ts';
import type { TracedLinesView } from './tracedLinesView.ts';

const tracing = '$(pulse) Trace';
const languages = ['c', 'cpp', 'rust', 'go', 'python', 'javascript', 'typescript'];

/** Above each function while a program runs under Strobe: trace it; or see its calls and stop tracing it. */
class FunctionLenses implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  readonly #strobe: StrobeHost;
  readonly #lines: TracedLinesView;

  constructor(strobe: StrobeHost, lines: TracedLinesView) {
    this.#strobe = strobe;
    this.#lines = lines;
    this.onDidChangeCodeLenses = lines.onShown;
  }

  /** Asks the daemon nothing: what the sessions view and traced lines know is shown. */
  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#strobe.feed.rows.some((row) => row.isLive)) return [];
    const traced = this.#lines.functionsIn(document.uri.fsPath);
    const known = new Set(traced.map(({ place }) => place.line));
    const lenses = traced.flatMap(({ place: { line }, name, tracedBy, session }) => {
      const row = { kind: 'session', session };
      return [
        lens(line, '$(list-tree) Show calls', 'strobe.showCalls', row),
        ...(tracedBy === 'name'
          ? [lens(line, '$(circle-slash) Stop tracing', 'strobe.untraceFunction', row, name)]
          : []),
        ...(tracedBy === 'none' ? [lens(line, tracing, 'strobe.traceFunction', row, name)] : []),
      ];
    });
    const symbols = functionsIn(await symbolsOf(document));
    const others = symbols.filter(({ line }) => !known.has(line));
    return [
      ...lenses,
      ...others.map(({ line, name }) =>
        lens(line, tracing, 'strobe.traceFunction', undefined, name),
      ),
    ];
  }
}

/** Lenses in the languages that Strobe traces. */
export function registerLenses(strobe: StrobeHost, lines: TracedLinesView): vscode.Disposable {
  const selector = languages.map((language) => ({ language, scheme: 'file' }));
  return vscode.languages.registerCodeLensProvider(selector, new FunctionLenses(strobe, lines));
}

function lens(
  line: number,
  title: string,
  command: string,
  ...words: readonly unknown[]
): vscode.CodeLens {
  const range = new vscode.Range(line - 1, 0, line - 1, 0);
  return new vscode.CodeLens(range, { title, command, arguments: [...words] });
}

function functionsIn(
  symbols: readonly vscode.DocumentSymbol[],
): { readonly name: string; readonly line: number }[] {
  return symbols.flatMap((symbol) => [
    ...(isFunction(symbol)
      ? [{ name: functionName(symbol), line: symbol.selectionRange.start.line + 1 }]
      : []),
    ...functionsIn(symbol.children),
  ]);
}
