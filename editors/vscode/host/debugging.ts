import * as vscode from 'vscode';
import { languages, startDefault } from '../plain/startDefaults.ts';
import type { StrobeHost } from './strobeHost.ts';

/** The debug type of package.json. */
export const debugType = 'strobe';

/** Debugging through `strobe dap`, with and without a launch.json. */
export function registerDebugging(strobe: StrobeHost): vscode.Disposable[] {
  const adapters: vscode.DebugAdapterDescriptorFactory = {
    createDebugAdapterDescriptor: (session) =>
      new vscode.DebugAdapterExecutable(strobe.path(), ['dap'], {
        cwd: session.workspaceFolder?.uri.fsPath ?? strobe.cwd(),
      }),
  };
  const kinds = vscode.DebugConfigurationProviderTriggerKind;
  return [
    vscode.debug.registerDebugAdapterDescriptorFactory(debugType, adapters),
    vscode.debug.registerDebugConfigurationProvider(debugType, resolving),
    vscode.debug.registerDebugConfigurationProvider(debugType, offering, kinds.Dynamic),
    vscode.debug.onDidStartDebugSession(({ type }) => {
      if (type === debugType) void strobe.beginLines();
    }),
  ];
}

const resolving: vscode.DebugConfigurationProvider = {
  /** F5 without a launch.json comes with an empty configuration. */
  resolveDebugConfiguration(_folder, asked) {
    if (asked.type !== '' && asked.request !== '') return asked;
    return launchOfOpenFile();
  },
  /** What a person picks comes as text. */
  resolveDebugConfigurationWithSubstitutedVariables(_folder, asked) {
    const pid: unknown = asked['pid'];
    return typeof pid === 'string' ? { ...asked, pid: Number(pid) } : asked;
  },
};

/** In the list of "Select and Start Debugging". */
const offering: vscode.DebugConfigurationProvider = {
  provideDebugConfigurations: () => [
    launchOfOpenFile(),
    {
      type: debugType,
      request: 'attach',
      name: 'Strobe: Attach',
      pid: '${command:strobe.pickProcess}',
    },
    {
      type: debugType,
      request: 'attach',
      name: 'Strobe: Join the newest session',
      session: 'latest',
    },
  ],
};

function launchOfOpenFile(): vscode.DebugConfiguration {
  const language = vscode.window.activeTextEditor?.document.languageId;
  const known = language !== undefined && languages.includes(language) ? language : undefined;
  return {
    type: debugType,
    request: 'launch',
    name: known === undefined ? 'Strobe: Launch' : `Strobe: Launch (${known})`,
    ...startDefault(known),
    cwd: '${workspaceFolder}',
  };
}

/** Joins a session: its program stays its owner's. */
export async function joinSession(id: string, program: string): Promise<void> {
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], {
    type: debugType,
    request: 'attach',
    name: `Strobe: ${program}`,
    session: id,
  });
}
