import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { StoryPart } from '../plain/crashStory.ts';
import { runTests, type FailureStory, type TestOutcome } from '../plain/testRuns.ts';
import { debugTests } from './testDebugging.ts';
import type { StrobeHost } from './strobeHost.ts';

/** How tests are run: as they are, with the story of each failure, or so that breakpoints stop them. */
type How = 'run' | 'diagnose' | 'debug';

/** Tests of any framework that debug_test knows, in the Test Explorer. */
export function registerTests(strobe: StrobeHost): vscode.Disposable[] {
  const controller = vscode.tests.createTestController('strobe', 'Strobe');
  const kinds = vscode.TestRunProfileKind;
  const runner =
    (how: How) => async (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      new TestExplorerRun(strobe, controller, request).run(how, token);
  controller.createRunProfile('Run', kinds.Run, runner('run'), true);
  const diagnose = runner('diagnose');
  controller.createRunProfile('Run and Diagnose Failures', kinds.Run, diagnose, false);
  controller.createRunProfile('Debug', kinds.Debug, runner('debug'), true);
  for (const { uri, name } of vscode.workspace.workspaceFolders ?? [])
    controller.items.add(controller.createTestItem(uri.fsPath, `${name}: all tests`, uri));
  const command = vscode.commands.registerCommand('strobe.diagnoseTests', async () => {
    const cancelled = new vscode.CancellationTokenSource();
    await diagnose(new vscode.TestRunRequest(), cancelled.token);
    await vscode.commands.executeCommand('workbench.panel.testResults.view.focus');
    cancelled.dispose();
  });
  return [controller, command];
}

class TestExplorerRun {
  readonly #strobe: StrobeHost;
  readonly #controller: vscode.TestController;
  readonly #request: vscode.TestRunRequest;
  readonly #run: vscode.TestRun;

  constructor(
    strobe: StrobeHost,
    controller: vscode.TestController,
    request: vscode.TestRunRequest,
  ) {
    this.#strobe = strobe;
    this.#controller = controller;
    this.#request = request;
    this.#run = controller.createTestRun(request);
  }

  async run(how: How, token: vscode.CancellationToken): Promise<void> {
    const gone = new AbortController();
    token.onCancellationRequested(() => gone.abort());
    try {
      for (const item of this.#asked()) {
        if (gone.signal.aborted) break;
        await this.#runItem(item, how, gone.signal);
      }
    } finally {
      this.#run.end();
    }
  }

  #asked(): readonly vscode.TestItem[] {
    const all: vscode.TestItem[] = [];
    this.#controller.items.forEach((item) => all.push(item));
    return this.#request.include ?? all;
  }

  async #runItem(item: vscode.TestItem, how: How, signal: AbortSignal): Promise<void> {
    this.#run.started(item);
    const root = rootOf(item);
    try {
      const test = { projectRoot: root.id, ...chosen(item) };
      const outcomes = await (how === 'debug'
        ? debugTests(this.#strobe, { label: item.label, test }, signal)
        : runTests(this.#strobe.server, { ...test, diagnose: how === 'diagnose' }, signal));
      for (const outcome of outcomes) this.#report(this.#itemOf(root, outcome), outcome);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#run.errored(item, new vscode.TestMessage(message));
    }
  }

  /** A test below its file. */
  #itemOf(root: vscode.TestItem, { name, file, place }: TestOutcome): vscode.TestItem {
    const group = file === '' ? root : this.#child(root, file, basename(file), file);
    const item = this.#child(group, `${group.id} ${name}`, name, file);
    if (place !== null) item.range = new vscode.Range(place.line - 1, 0, place.line - 1, 0);
    return item;
  }

  #child(parent: vscode.TestItem, id: string, label: string, file: string): vscode.TestItem {
    const known = parent.children.get(id);
    if (known !== undefined) return known;
    const uri = file === '' ? parent.uri : vscode.Uri.file(file);
    const item = this.#controller.createTestItem(id, label, uri);
    parent.children.add(item);
    return item;
  }

  #report(item: vscode.TestItem, outcome: TestOutcome): void {
    const { durationMs } = outcome;
    if (outcome.outcome === 'skipped') this.#run.skipped(item);
    else if (outcome.outcome !== 'failed') this.#run.passed(item, durationMs);
    else {
      const { message, expected, actual } = outcome;
      const said = new vscode.TestMessage(message);
      if (expected !== null) said.expectedOutput = expected;
      if (actual !== null) said.actualOutput = actual;
      if (item.uri !== undefined && item.range !== undefined)
        said.location = new vscode.Location(item.uri, item.range);
      const story = outcome.story === null ? [] : [storyMessage(outcome.story)];
      this.#run.failed(item, [said, ...story], durationMs);
    }
  }
}

/** Its places are links; the message itself stands at the likeliest faulty line. */
function storyMessage({ lines, faulty }: FailureStory): vscode.TestMessage {
  const text = new vscode.MarkdownString();
  for (const parts of lines) {
    for (const part of parts) appendPart(text, part);
    text.appendMarkdown('  \n'); // Ends a line within a paragraph.
  }
  const message = new vscode.TestMessage(text);
  if (faulty !== null) {
    const position = new vscode.Position(faulty.line - 1, 0);
    message.location = new vscode.Location(vscode.Uri.file(faulty.path), position);
  }
  return message;
}

function appendPart(text: vscode.MarkdownString, { text: words, place }: StoryPart): void {
  if (place === null) {
    const [indent = ''] = /^ */.exec(words) ?? [];
    text.appendText(indent);
    // A line may wrap between words: appendText itself makes blanks that do not.
    for (const [at, word] of words.slice(indent.length).split(' ').entries())
      text.appendMarkdown(at === 0 ? '' : ' ').appendText(word);
    return;
  }
  const link = vscode.Uri.file(place.path).with({ fragment: `L${place.line}` });
  text.appendMarkdown(`[\`${words}\`](${link.toString()})`);
}

/** All tests of the folder, of a file, or one. */
function chosen({ parent, children, uri, label }: vscode.TestItem): {
  test?: string;
  file?: string;
} {
  if (parent === undefined) return {};
  return children.size > 0 && uri !== undefined ? { file: uri.fsPath } : { test: label };
}

function rootOf(item: vscode.TestItem): vscode.TestItem {
  return item.parent === undefined ? item : rootOf(item.parent);
}
