import * as vscode from 'vscode';
import {
  functionFigures,
  listFunctions,
  sessionFigures,
  type FunctionRow,
  type SessionRow,
} from '../plain/sessionRows.ts';
import { sourcePlace } from '../plain/sourcePlace.ts';
import type { StrobeHost } from './strobeHost.ts';

/** A row of the sessions view. */
export type ViewRow =
  | { readonly kind: 'session'; readonly session: SessionRow }
  | { readonly kind: 'function'; readonly session: SessionRow; readonly row: FunctionRow }
  | { readonly kind: 'note'; readonly text: string };

/** Functions below a session. */
const mostFunctions = 50;

/** The view of all sessions with their functions; it asks only while it is visible and the window has the focus. */
export function registerSessionsView(strobe: StrobeHost): vscode.Disposable[] {
  const rows = new SessionRows(strobe);
  const view = vscode.window.createTreeView('strobe.sessions', { treeDataProvider: rows });
  const look = (): void => strobe.sees('sessions', view.visible);
  const name = vscode.window.createStatusBarItem('strobe.status', vscode.StatusBarAlignment.Left);
  name.name = 'Strobe';
  name.command = 'strobe.sessions.focus';
  const show = (): void => {
    const live = strobe.feed.rows.filter((row) => row.isLive).length;
    view.badge = live === 0 ? undefined : { value: live, tooltip: `Running: ${live}` };
    name.text = `$(pulse) ${live === 0 ? 'Strobe' : `Strobe: ${live} running`}`;
    view.message = strobe.feed.problem ?? '';
    name.tooltip = strobe.feed.problem ?? 'Show the sessions of Strobe';
  };
  show();
  name.show();
  look();
  return [
    view,
    name,
    rows,
    view.onDidChangeVisibility(look),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void strobe.feed.refresh()),
    strobe.onSessions(show),
  ];
}

class SessionRows implements vscode.TreeDataProvider<ViewRow>, vscode.Disposable {
  readonly #strobe: StrobeHost;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(strobe: StrobeHost) {
    this.#strobe = strobe;
    strobe.onSessions(() => this.#changed.fire());
  }

  async getChildren(parent?: ViewRow): Promise<ViewRow[]> {
    const { server, feed } = this.#strobe;
    if (parent === undefined) {
      return feed.rows.map((session) => ({ kind: 'session', session }));
    }
    if (parent.kind !== 'session') return [];
    const { session } = parent;
    try {
      const found = await listFunctions(server, session.id, mostFunctions);
      if (found.length === 0) return [{ kind: 'note', text: 'No function is traced.' }];
      return found.map((row) => ({ kind: 'function', session, row }));
    } catch (error) {
      return [{ kind: 'note', text: error instanceof Error ? error.message : String(error) }];
    }
  }

  getTreeItem(shown: ViewRow): vscode.TreeItem {
    if (shown.kind === 'session') return sessionItem(shown.session);
    if (shown.kind === 'function') return functionItem(shown.session, shown.row);
    const item = new vscode.TreeItem(shown.text);
    item.tooltip = shown.text;
    return item;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function sessionItem(session: SessionRow): vscode.TreeItem {
  const item = new vscode.TreeItem(session.program, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = session.id;
  item.description = sessionFigures(session);
  item.tooltip = `${session.id}${session.pid === null ? '' : ` · pid ${session.pid}`}`;
  item.contextValue = session.isLive ? 'live' : session.hasFailed ? 'crashed' : 'ended';
  item.iconPath = new vscode.ThemeIcon(
    session.isLive ? 'debug-alt' : session.hasFailed ? 'error' : 'circle-outline',
  );
  item.accessibilityInformation = { label: `${session.program}, ${sessionFigures(session)}` };
  return item;
}

function functionItem(session: SessionRow, row: FunctionRow): vscode.TreeItem {
  const item = new vscode.TreeItem(row.name);
  item.id = `${session.id} ${row.name}`;
  item.description = functionFigures(row);
  item.iconPath = new vscode.ThemeIcon('symbol-function');
  item.contextValue = 'function';
  const place = sourcePlace(row.place, session.projectRoot);
  item.tooltip = row.place;
  if (place !== null)
    item.command = {
      command: 'vscode.open',
      title: 'Open Source',
      arguments: [
        vscode.Uri.file(place.path),
        { selection: new vscode.Range(place.line - 1, 0, place.line - 1, 0) },
      ],
    };
  return item;
}
