import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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
  close(): void;
}

/** What is different in an editor. */
export interface EditorOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly isTrusted?: boolean;
}

/**
 * A small editor of our own that runs the built extension by the API of VS Code: the parts that the extension uses,
 * without windows. What the person would see is kept for the test.
 */
export function editorHost({ settings = {}, folder, isTrusted = true }: EditorOptions): EditorHost {
  const commands = new Map<string, Command>();
  const made = new Map<string, unknown[]>();
  const shown: string[] = [];
  const started: unknown[] = [];
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
      executeCommand: () => Promise.resolve(),
    },
    window: {
      state: { focused: true },
      onDidChangeWindowState: never,
      showErrorMessage: showing,
      showWarningMessage: showing,
      createTreeView(id: string, options: object) {
        const view = { visible: false, onDidChangeVisibility: never, dispose: () => undefined };
        made.set(`createTreeView ${id}`, [options, view]);
        return view;
      },
      createStatusBarItem: () => ({ show: () => undefined, dispose: () => undefined }),
    },
    workspace: {
      isTrusted,
      workspaceFolders: [{ uri: { fsPath: folder } }],
      getConfiguration: (section: string) => ({
        get: (name: string, usual: unknown) => settings[`${section}.${name}`] ?? usual,
      }),
      onDidGrantWorkspaceTrust: never,
    },
    debug: {
      registerDebugAdapterDescriptorFactory: registering('registerDebugAdapterDescriptorFactory'),
      registerDebugConfigurationProvider: registering('registerDebugConfigurationProvider'),
      startDebugging(_folder: unknown, configuration: unknown) {
        started.push(configuration);
        return Promise.resolve(true);
      },
    },
    lm: {
      registerMcpServerDefinitionProvider: registering('registerMcpServerDefinitionProvider'),
    },
  };
  const packageJSON: unknown = JSON.parse(
    readFileSync(join(extensionFolder, 'package.json'), 'utf8'),
  );
  call(load(api), 'activate', { subscriptions, extension: { packageJSON } });
  const close = (): void => {
    for (const one of subscriptions) one.dispose();
  };
  return { commands, made, shown, started, close };
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
  ThemeIcon: class {
    readonly id: string;
    constructor(id: string) {
      this.id = id;
    }
  },
  Range: class {
    readonly line: number;
    constructor(line: number) {
      this.line = line;
    }
  },
  Uri: { file: (fsPath: string) => ({ fsPath }) },
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
