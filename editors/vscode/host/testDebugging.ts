import * as vscode from 'vscode';
import { textMember } from '../../../src/client/messages.ts';
import { outcomesOf, type TestOutcome } from '../plain/testRuns.ts';
import { debugType } from './debugging.ts';
import type { StrobeHost } from './strobeHost.ts';

/** Which tests, as `strobe dap` launches them. */
export interface DebuggedTests {
  readonly projectRoot: string;
  readonly file?: string;
  readonly test?: string;
}

/** Numbers of debug sessions that were started here. */
let started = 0;

/**
 * Runs tests under the debugger, so that breakpoints of the editor stop them. Ends with the debug session; after a
 * restart the last run counts. Throws where nothing ran.
 */
export async function debugTests(
  strobe: StrobeHost,
  { label, test }: { readonly label: string; readonly test: DebuggedTests },
  signal: AbortSignal,
): Promise<TestOutcome[]> {
  started += 1;
  const name = `Debug ${label} (${started})`;
  let outcomes: Promise<TestOutcome[]> | null = null;
  let isEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (isEnded = resolve));
  const isOurs = (session: vscode.DebugSession): boolean =>
    session.type === debugType && session.configuration.name === name;
  const listeners = [
    vscode.debug.onDidStartDebugSession((session) => {
      if (!isOurs(session)) return;
      const stop = (): void => void vscode.debug.stopDebugging(session);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    }),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      const given: unknown = body;
      if (event !== 'testRun' || !isOurs(session)) return;
      outcomes = outcomesOf(strobe.server, textMember(given, 'testRunId'), signal);
      outcomes.catch(() => undefined); // It is awaited at the end.
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      if (isOurs(session)) isEnded();
    }),
  ];
  try {
    const configuration = { type: debugType, request: 'launch', name, test };
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(test.projectRoot));
    if (await vscode.debug.startDebugging(folder, configuration)) await ended;
    return await (outcomes ?? Promise.reject(new Error('The tests did not start.')));
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}
