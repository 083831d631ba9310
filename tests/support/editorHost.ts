import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { TestHome } from './home.ts';
import { at, listAt } from './read.ts';
import { packageRoot } from './strobe.ts';

type Listener = (value: unknown) => void;
type Command = (...words: unknown[]) => Promise<unknown>;

/** Where the extension is built. */
export const extensionFolder = join(packageRoot, 'dist/vscode');

/** What a test sees of an editor. */
export interface EditorHost {
  readonly commands: ReadonlyMap<string, Command>;
  /** Whatever was registered or created, by the name of its API and its id: `createTreeView strobe.sessions`. */
  readonly made: ReadonlyMap<string, readonly unknown[]>;
  /** Messages that were shown to the person. */
  readonly shown: readonly string[];
  readonly started: readonly unknown[];
  /** Beside the lines of the open file, as it is now. */
  readonly decorations: () => readonly Decoration[];
  /** What is shown of tests: `passed name`, `failed name: message`. */
  readonly outcomes: readonly string[];
  /** Has VS Code tell the extension of a debug session: that it began, an event of its own, that it ended. */
  readonly debugging: Record<'began' | 'custom' | 'ended', { fire(value: unknown): void }>;
  /** The pages that were opened. */
  readonly pages: readonly HostPage[];
  close(): void;
}

/** A page of the extension, without a browser. */
export interface HostPage {
  readonly title: string;
  readonly markup: () => string;
  /** Says something as the page's script does; answers what came back. */
  say(message: object): Promise<readonly unknown[]>;
}

/** What is different in an editor. */
export interface EditorOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly isTrusted?: boolean;
  /** A file that is open, with the cursor in this line, from 1. */
  readonly open?: { readonly path: string; readonly line: number };
  /** What the person writes when asked for a text, one after the other. */
  readonly written?: string[];
  /** Functions of the open file, as the language's extension knows them. */
  readonly functions?: readonly { readonly name: string; readonly line: number }[];
}

/** What is written beside a line, from 1. */
export interface Decoration {
  readonly line: number;
  readonly text: string;
}

/**
 * A small editor of our own that runs the built extension by the API of VS Code: the parts that the extension uses,
 * without windows. What the person would see is kept for the test.
 */
export function editorHost(options: EditorOptions): EditorHost {
  const { settings = {}, folder, isTrusted = true, open } = options;
  const symbols = options.functions?.map(({ name, line }) => documentSymbol(name, line));
  let decorations: readonly Decoration[] = [];
  const pages: HostPage[] = [];
  const editors = open === undefined ? [] : [openFile(open, (found) => (decorations = found))];
  const commands = new Map<string, Command>();
  const made = new Map<string, unknown[]>();
  const shown: string[] = [];
  const started: unknown[] = [];
  const outcomes: string[] = [];
  const debugging = {
    began: new values.EventEmitter(),
    custom: new values.EventEmitter(),
    ended: new values.EventEmitter(),
  };
  const subscriptions: { dispose(): void }[] = [];
  const registering =
    (name: string) =>
    (...words: unknown[]) => {
      made.set(`${name} ${String(words[0])}`, words.slice(1));
      return { dispose: () => undefined };
    };
  const showing = (text: unknown): Promise<undefined> => {
    shown.push(String(text));
    return Promise.resolve(undefined);
  };
  const never = () => ({ dispose: () => undefined });
  const api = {
    ...values,
    commands: {
      registerCommand(name: string, work: Command) {
        commands.set(name, work);
        return { dispose: () => commands.delete(name) };
      },
      executeCommand: (name: string) =>
        Promise.resolve(name === 'vscode.executeDocumentSymbolProvider' ? symbols : undefined),
    },
    window: {
      state: { focused: true },
      onDidChangeWindowState: never,
      visibleTextEditors: editors,
      activeTextEditor: editors[0],
      createTextEditorDecorationType: never,
      setStatusBarMessage: showing,
      showErrorMessage: showing,
      showInputBox: () => Promise.resolve(options.written?.shift()),
      showTextDocument: ({ content }: { content: string }) => showing(content),
      showWarningMessage: showing,
      createTreeView(id: string, given: object) {
        const view = { visible: false, onDidChangeVisibility: never, dispose: () => undefined };
        made.set(`createTreeView ${id}`, [given, view]);
        return view;
      },
      createWebviewPanel(_kind: string, title: string) {
        const { panel, page } = hostPage(title);
        pages.push(page);
        return panel;
      },
      createStatusBarItem: () => ({ show: () => undefined, dispose: () => undefined }),
    },
    workspace: {
      isTrusted,
      workspaceFolders: [{ uri: { fsPath: folder }, name: 'project' }],
      getWorkspaceFolder: () => undefined,
      getConfiguration: (section: string) => ({
        get: (name: string, usual: unknown) => settings[`${section}.${name}`] ?? usual,
      }),
      onDidGrantWorkspaceTrust: never,
      openTextDocument: (text: object) => Promise.resolve(text),
    },
    debug: {
      registerDebugAdapterDescriptorFactory: registering('registerDebugAdapterDescriptorFactory'),
      registerDebugConfigurationProvider: registering('registerDebugConfigurationProvider'),
      onDidStartDebugSession: debugging.began.event,
      onDidReceiveDebugSessionCustomEvent: debugging.custom.event,
      onDidTerminateDebugSession: debugging.ended.event,
      startDebugging(_folder: unknown, configuration: unknown) {
        started.push(configuration);
        return Promise.resolve(true);
      },
    },
    tests: {
      createTestController: (id: string) => {
        const controller = {
          items: new TestItems(),
          createRunProfile: registering(`createRunProfile ${id}`),
          createTestRun: () => testRun(outcomes),
          createTestItem: (path: string, label: string, uri: unknown) => ({
            id: path,
            label,
            uri,
            children: new TestItems(),
          }),
          dispose: () => undefined,
        };
        made.set(`createTestController ${id}`, [controller]);
        return controller;
      },
    },
    languages: {
      registerCodeLensProvider: (_selector: unknown, provider: unknown) => {
        made.set('registerCodeLensProvider', [provider]);
        return { dispose: () => undefined };
      },
    },
    lm: {
      registerMcpServerDefinitionProvider: registering('registerMcpServerDefinitionProvider'),
    },
  };
  const packageJSON: unknown = JSON.parse(
    readFileSync(join(extensionFolder, 'package.json'), 'utf8'),
  );
  const kept = new Map<string, unknown>();
  const workspaceState = {
    get: (name: string, usual: unknown) => kept.get(name) ?? usual,
    update: (name: string, value: unknown) => Promise.resolve(kept.set(name, value)),
  };
  call(load(api), 'activate', { subscriptions, workspaceState, extension: { packageJSON } });
  const close = (): void => {
    for (const one of subscriptions) one.dispose();
  };
  const seen = { commands, made, shown, started, outcomes, debugging, pages };
  return { ...seen, decorations: () => decorations, close };
}

/** An editor that has the project of a home open, until the test ends; its sessions view, and its commands by name. */
export function openedEditor(home: TestHome, options: Partial<EditorOptions> = {}) {
  vi.stubEnv('STROBE_HOME', home.path);
  const settings = { 'strobe.path': join(packageRoot, 'strobe') };
  const host = editorHost({ settings, folder: home.project, ...options });
  onTestFinished(() => {
    host.close();
    vi.unstubAllEnvs();
  });
  const tree = (id: string) => {
    const [shown, view] = host.made.get(`createTreeView ${id}`) ?? [];
    const provider = at(shown, 'treeDataProvider');
    const itemOf = async (row: unknown) => call(provider, 'getTreeItem', row);
    const rows = async (parent?: unknown) =>
      listAt({ rows: await call(provider, 'getChildren', parent) }, 'rows');
    return { view, itemOf, rows };
  };
  const run = async (name: string, row?: unknown) => host.commands.get(`strobe.${name}`)?.(row);
  return { ...host, ...tree('strobe.sessions'), tree, run };
}

/** Keeps what a run of the Test Explorer shows. */
function testRun(outcomes: string[]) {
  const told = (what: string) => (item: unknown, messages: unknown) => {
    const said = [messages].flat().flatMap((message) => {
      const markdown = at(message, 'message', 'value');
      const text = at(message, 'message');
      if (typeof markdown !== 'string') return typeof text === 'string' ? text : [];
      const line = Number(at(message, 'location', 'color', 'line')) + 1;
      return `${String(at(message, 'location', 'id', 'fsPath'))}:${line}: ${markdown}`;
    });
    outcomes.push([`${what} ${String(at(item, 'label'))}`, ...said].join(': '));
  };
  return {
    started: () => undefined,
    skipped: told('skipped'),
    passed: told('passed'),
    failed: told('failed'),
    errored: told('errored'),
    end: () => outcomes.push('end'),
  };
}

function hostPage(title: string) {
  const back: unknown[] = [];
  let receive: (message: object) => Promise<void> = () => Promise.resolve();
  const webview = {
    html: '',
    onDidReceiveMessage: (listener: typeof receive) => (receive = listener),
    postMessage: (message: unknown) => back.push(message),
  };
  const page: HostPage = {
    title,
    markup: () => webview.html,
    async say(message) {
      await receive(message);
      return back.splice(0);
    },
  };
  const never = () => ({ dispose: () => undefined });
  const panel = { webview, visible: true, onDidDispose: never, onDidChangeViewState: never };
  return { panel, page };
}

function openFile(
  { path, line }: NonNullable<EditorOptions['open']>,
  decorate: (found: Decoration[]) => void,
) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const lineAt = (number: number) => ({ text: lines[number] ?? '', range: number });
  const setDecorations = (_kind: unknown, found: readonly unknown[]): void =>
    decorate(
      found.map((one) => ({
        line: Number(at(one, 'range')) + 1,
        text: String(at(one, 'renderOptions', 'after', 'contentText')),
      })),
    );
  return {
    document: { uri: { fsPath: path }, lineCount: lines.length, lineAt, getText: () => '' },
    selection: { active: { line: line - 1, character: 0 } },
    setDecorations,
  };
}

/** Calls a method of an object of unknown type, as the editor does. */
export function call(object: unknown, name: string, ...words: unknown[]): unknown {
  const method: unknown =
    typeof object === 'object' && object !== null ? Reflect.get(object, name) : null;
  if (typeof method !== 'function') throw new Error(`there is no ${name}`);
  const answer: unknown = Reflect.apply(method, object, words);
  return answer;
}

/** Runs the bundle as the CommonJS module that it is. */
function load(api: object): unknown {
  const file = join(extensionFolder, 'main.cjs');
  const real = createRequire(file);
  const module = { exports: {} };
  // oxlint-disable-next-line typescript/no-implied-eval -- as Node loads it, but for one package
  const run = new Function('require', 'module', 'exports', readFileSync(file, 'utf8'));
  const required = (name: string): unknown => {
    const found: unknown = name === 'vscode' ? api : real(name);
    return found;
  };
  Reflect.apply(run, null, [required, module, module.exports]);
  return module.exports;
}

/** As VS Code answers it: no instance of its class DocumentSymbol. */
function documentSymbol(name: string, line: number): object {
  const selectionRange = { start: { line: line - 1 } };
  return { name, kind: values.SymbolKind.Function, children: [], selectionRange };
}

class Named {
  readonly id: string;
  readonly color: unknown;
  constructor(id: string, color?: unknown) {
    this.id = id;
    this.color = color;
  }
}

class Told {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

class TestItems {
  readonly #items = new Map<string, { readonly id: string; parent?: unknown }>();
  readonly get = (id: string) => this.#items.get(id);
  readonly add = (item: { readonly id: string }) => void this.#items.set(item.id, item);
  readonly forEach = (work: (item: unknown) => void) => this.#items.forEach((item) => work(item));
  get size(): number {
    return this.#items.size;
  }
}

const values = {
  EventEmitter: class {
    readonly #listeners: Listener[] = [];
    readonly event = (listener: Listener) => {
      this.#listeners.push(listener);
      return { dispose: () => undefined };
    };
    fire(value?: unknown): void {
      for (const listener of this.#listeners) listener(value);
    }
    dispose(): void {
      this.#listeners.length = 0;
    }
  },
  TreeItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  ThemeIcon: Named,
  ThemeColor: Named,
  TestRunProfileKind: { Run: 1, Debug: 2 },
  TestMessage: Told,
  Location: Named,
  SymbolKind: { Method: 5, Constructor: 8, Function: 11 },
  ViewColumn: { Beside: -2, One: 1 },
  Range: class {
    readonly line: number;
    constructor(line: number) {
      this.line = line;
    }
  },
  CodeLens: class {
    readonly range: unknown;
    readonly command: unknown;
    constructor(range: unknown, command: unknown) {
      this.range = range;
      this.command = command;
    }
  },
  Position: class {
    readonly line: number;
    constructor(line: number) {
      this.line = line;
    }
  },
  MarkdownString: class {
    value = '';
    appendText(text: string): this {
      this.value += text;
      return this;
    }
    appendMarkdown(text: string): this {
      this.value += text;
      return this;
    }
  },
  Uri: {
    file: (fsPath: string) => ({
      fsPath,
      with: ({ fragment }: { readonly fragment: string }) =>
        new URL(`file://${fsPath}#${fragment}`),
    }),
  },
  DebugAdapterExecutable: class {
    readonly words: readonly unknown[];
    constructor(...words: readonly unknown[]) {
      this.words = words;
    }
  },
  McpStdioServerDefinition: class {
    readonly words: readonly unknown[];
    constructor(...words: readonly unknown[]) {
      this.words = words;
    }
  },
  StatusBarAlignment: { Left: 1, Right: 2 },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  DebugConfigurationProviderTriggerKind: { Initial: 1, Dynamic: 2 },
};
