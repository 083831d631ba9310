import * as vscode from 'vscode';
import { WatchedValues, type WatchedValue } from '../plain/watchedValues.ts';
import type { SessionRow } from '../plain/sessionRows.ts';
import { showMemory } from './memoryPage.ts';
import type { StrobeHost } from './strobeHost.ts';

/** Where the expressions of a workspace are kept. */
const stored = 'strobe.watched';

/** Variables and memory of running programs, read once a second while the view is visible. */
export function registerWatchesView(strobe: StrobeHost): vscode.Disposable[] {
  const rows = new WatchRows(strobe);
  const view = vscode.window.createTreeView('strobe.watches', { treeDataProvider: rows });
  const look = (): void => strobe.sees('watches', view.visible);
  const command = (name: string, work: (row?: WatchedValue) => Promise<unknown>) =>
    vscode.commands.registerCommand(`strobe.${name}`, async (row?: WatchedValue) =>
      strobe.attempt(async () => work(row)),
    );
  look();
  return [
    view,
    rows,
    view.onDidChangeVisibility(look),
    command('watch', async () => rows.add()),
    command('unwatch', async (row) => rows.remove(row)),
    command('setWatched', async (row) => rows.set(row)),
    command('showMemory', async (row) => {
      const { session, expression } = row ?? (await asked(strobe)) ?? {};
      if (session !== undefined && expression !== undefined)
        showMemory(strobe, session, expression);
    }),
    command('showChanges', async (row) => {
      if (row !== undefined) await strobe.showAnswer('changes', row.session.id);
    }),
  ];
}

/** A place in the memory of the program that runs. */
async function asked(
  strobe: StrobeHost,
): Promise<{ session: SessionRow; expression: string } | undefined> {
  const session = await strobe.chooseSession(true);
  if (session === undefined) return undefined;
  const expression = await askedExpression('Memory of a variable, or at an address');
  return expression === undefined ? undefined : { session, expression };
}

/** What is selected, else what the person writes. */
async function askedExpression(title: string): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const value = editor === undefined ? '' : editor.document.getText(editor.selection);
  const placeHolder = 'gConfig.rate, table[3], *(double*)0x7ffe0010';
  const written = await vscode.window.showInputBox({ title, value, placeHolder });
  return written?.trim() || undefined;
}

class WatchRows implements vscode.TreeDataProvider<WatchedValue>, vscode.Disposable {
  readonly #strobe: StrobeHost;
  readonly #values: WatchedValues;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(strobe: StrobeHost) {
    this.#strobe = strobe;
    this.#values = new WatchedValues(strobe.server);
    strobe.onSessions(() => this.#changed.fire());
  }

  async getChildren(parent?: WatchedValue): Promise<WatchedValue[]> {
    if (parent !== undefined) return [];
    return await this.#values.read(this.#strobe.feed.rows, this.#expressions());
  }

  getTreeItem(row: WatchedValue): vscode.TreeItem {
    const { session, expression, value, about, sampledAt } = row;
    const item = new vscode.TreeItem(expression);
    item.id = `${session.id} ${expression}`;
    const live = this.#strobe.feed.rows.filter((one) => one.isLive);
    item.description = [
      value ?? about,
      ...(sampledAt === null ? [] : [`sampled at ${sampledAt}`]),
      ...(live.length > 1 ? [session.program] : []),
    ].join(' · ');
    item.tooltip = `${expression}${value === null ? '' : ` = ${value}`}\n${about}\n${session.id}`;
    item.contextValue = sampledAt === null ? 'watched' : 'sampled';
    item.iconPath = row.isChanged
      ? new vscode.ThemeIcon('symbol-variable', new vscode.ThemeColor('charts.yellow'))
      : new vscode.ThemeIcon(value === null ? 'circle-slash' : 'symbol-variable');
    item.accessibilityInformation = { label: `${expression}, ${item.description}` };
    return item;
  }

  async add(): Promise<void> {
    const expression = await askedExpression('Variable or memory to watch');
    if (expression !== undefined)
      await this.#keep([...new Set([...this.#expressions(), expression])]);
  }

  async remove(row: WatchedValue | undefined): Promise<void> {
    await this.#keep(this.#expressions().filter((one) => one !== row?.expression));
  }

  async set(row: WatchedValue | undefined): Promise<void> {
    if (row === undefined) return;
    const { session, expression, value } = row;
    const title = `New value of ${expression}`;
    const written = await vscode.window.showInputBox({ title, value: value ?? '' });
    if (written === undefined) return;
    const why = await this.#values.set(session.id, expression, written);
    if (why !== null) throw new Error(why);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #expressions(): readonly string[] {
    return this.#strobe.kept.get<readonly string[]>(stored, []);
  }

  async #keep(expressions: readonly string[]): Promise<void> {
    await this.#strobe.kept.update(stored, expressions);
    await this.#strobe.feed.refresh();
  }
}
