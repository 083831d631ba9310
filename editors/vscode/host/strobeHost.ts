import * as vscode from 'vscode';
import { textMember } from '../../../src/client/messages.ts';
import { findStrobe } from '../plain/findStrobe.ts';
import { SessionFeed } from '../plain/sessionFeed.ts';
import { StrobeFailure, StrobeServer } from '../plain/strobeServer.ts';
import { versionNote } from '../plain/versions.ts';

/** What all parts of the extension share: the strobe of this machine, its sessions, and how failures are shown. */
export class StrobeHost implements vscode.Disposable {
  readonly version: string;
  readonly server: StrobeServer;
  readonly feed: SessionFeed;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onSessions = this.#changed.event;
  /** Lines of traced functions are shown, also where the view is not. */
  showsLines = false;
  #isVersionChecked = false;

  constructor(context: vscode.ExtensionContext) {
    this.version = textMember(context.extension.packageJSON, 'version');
    const start = (): { path: string; cwd: string } => ({ path: this.path(), cwd: this.cwd() });
    this.server = new StrobeServer(start, this.version);
    this.feed = new SessionFeed(this.server, () => {
      this.#changed.fire();
      if (this.feed.problem === null) void this.#checkVersion();
    });
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
    this.showsLines = true;
    await this.feed.refresh();
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

  dispose(): void {
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
