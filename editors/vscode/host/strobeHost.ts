import * as vscode from 'vscode';
import { textMember } from '../../../src/client/messages.ts';
import { findStrobe } from '../plain/findStrobe.ts';
import { SessionFeed } from '../plain/sessionFeed.ts';
import { sessionFigures, type SessionRow } from '../plain/sessionRows.ts';
import { StrobeFailure, StrobeServer } from '../plain/strobeServer.ts';
import { versionNote } from '../plain/versions.ts';

/** What all parts of the extension share: the strobe of this machine, its sessions, and how failures are shown. */
export class StrobeHost implements vscode.Disposable {
  readonly version: string;
  readonly server: StrobeServer;
  readonly feed: SessionFeed;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onSessions = this.#changed.event;
  /** What is kept for this workspace. */
  readonly kept: vscode.Memento;
  /** Parts whose live figures the person sees now. */
  readonly #seen = new Set<string>();
  readonly #window: vscode.Disposable;
  #isVersionChecked = false;

  constructor(context: vscode.ExtensionContext) {
    this.kept = context.workspaceState;
    this.version = textMember(context.extension.packageJSON, 'version');
    const start = (): { path: string; cwd: string } => ({ path: this.path(), cwd: this.cwd() });
    this.server = new StrobeServer(start, this.version);
    this.feed = new SessionFeed(this.server, () => {
      this.#changed.fire();
      if (this.feed.problem === null) void this.#checkVersion();
    });
    this.#window = vscode.window.onDidChangeWindowState(() => this.#look());
  }

  /** The strobe to run. Throws StrobeFailure with what to do: none is installed, or the workspace is not trusted. */
  path(): string {
    if (!vscode.workspace.isTrusted)
      throw new StrobeFailure(
        'Strobe runs programs, so it waits until you trust this workspace: run "Workspaces: Manage Workspace Trust".',
      );
    const setting = vscode.workspace.getConfiguration('strobe').get<string>('path', '');
    const { env, platform, arch } = process;
    const place = findStrobe({ setting, env, platform, arch });
    if (place.path === null) throw new StrobeFailure(place.problem);
    return place.path;
  }

  /** Figures beside lines from now on. */
  async beginLines(): Promise<void> {
    this.sees('lines', true);
    await this.feed.refresh();
  }

  /** A part that shows live figures is seen from now on, or no longer. Without one the daemon is asked nothing. */
  sees(part: string, isSeen: boolean): void {
    if (isSeen) this.#seen.add(part);
    else this.#seen.delete(part);
    this.#look();
  }

  #look(): void {
    this.feed.watch(this.#seen.size > 0 && vscode.window.state.focused);
  }

  /** The folder that is open, else the user's home. */
  cwd(): string {
    return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.env['HOME'] ?? '/';
  }

  /** Runs something for the person; a failure is shown with its next step. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const settings = 'Open Settings';
      const isPlace = message.includes('strobe.path');
      void vscode.window
        .showErrorMessage(`Strobe: ${message}`, ...(isPlace ? [settings] : []))
        .then(async (chosen) => {
          if (chosen === settings)
            await vscode.commands.executeCommand('workbench.action.openSettings', 'strobe.path');
        });
      return undefined;
    }
  }

  /** The only session, else the one that the person picks. Throws with what to do: there is none. */
  async chooseSession(isLive: boolean): Promise<SessionRow | undefined> {
    await this.feed.refresh();
    if (this.feed.problem !== null) throw new Error(this.feed.problem);
    const rows = this.feed.rows.filter((one) => one.isLive || !isLive);
    if (rows.length === 0)
      throw new Error(
        'No program runs under Strobe. Start one (F5, strobe launch), or let your agent start one.',
      );
    const [only] = rows;
    if (only !== undefined && rows.length === 1) return only;
    const items = rows.map((session) => ({
      label: session.program,
      description: sessionFigures(session),
      detail: session.id,
      session,
    }));
    return (await vscode.window.showQuickPick(items, { placeHolder: 'Session of Strobe' }))
      ?.session;
  }

  /** Opens an answer of debug_query as text beside the code. */
  async showAnswer(view: string, sessionId: string, further: object = {}): Promise<void> {
    const asked = { view, sessionId, limit: 500, budget: 16_000, ...further };
    const { text } = await this.server.call('debug_query', asked);
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'log' });
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#window.dispose();
    this.feed.watch(false);
    this.server.close();
    this.#changed.dispose();
  }

  async #checkVersion(): Promise<void> {
    if (this.#isVersionChecked) return;
    this.#isVersionChecked = true;
    const note = versionNote(this.version, await this.server.version());
    if (note !== null) void vscode.window.showWarningMessage(`Strobe: ${note}`);
  }
}
