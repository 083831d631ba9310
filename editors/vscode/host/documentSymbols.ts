import * as vscode from 'vscode';

/** As the language's own extension knows them; without one there are none. */
export async function symbolsOf({ uri }: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
  const found: unknown = await vscode.commands.executeCommand(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const symbols: readonly unknown[] = Array.isArray(found) ? found : [];
  return symbols.filter(isDocumentSymbol);
}

/** VS Code answers objects that are not of its class DocumentSymbol. */
function isDocumentSymbol(value: unknown): value is vscode.DocumentSymbol {
  return (
    typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'children'))
  );
}

/** Without what stands in brackets behind it. */
export function functionName({ name }: vscode.DocumentSymbol): string {
  return name.replace(/\(.*$/, '');
}

export function isFunction({ kind }: vscode.DocumentSymbol): boolean {
  return functionKinds.includes(kind);
}

const functionKinds = [
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
];
