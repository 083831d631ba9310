/** What of the package is used; it declares no types itself. */
declare module 'x11' {
  import type { Socket } from 'node:net';

  type Answer<T> = (error: unknown, value: T) => void;

  export interface Geometry {
    readonly width: number;
    readonly height: number;
  }

  export interface WindowAttributes {
    readonly mapState: number;
    readonly klass: number;
    readonly overrideRedirect: number;
  }

  export interface Composite {
    QueryVersion(major: number, minor: number, answer: Answer<unknown>): void;
    RedirectSubwindows(window: number, update: number): void;
    NameWindowPixmap(window: number, pixmap: number): void;
    readonly Redirect: { readonly Automatic: number };
  }

  export interface TestInput {
    FakeInput(
      type: number,
      detail: number,
      time: number,
      window: number,
      x: number,
      y: number,
    ): void;
  }

  export interface Fixes {
    SelectSelectionInput(window: number, selection: number, mask: number): void;
  }

  export interface Resources {
    QueryClientIds(
      clients: readonly { readonly client: number; readonly mask: number }[],
      answer: Answer<readonly { readonly value: readonly number[] }[]>,
    ): void;
  }

  /** Members that the named event has. */
  export interface XEvent {
    readonly name: string;
    /** Of XFIXES; absent: the core event of this name. */
    readonly subtype?: number;
    readonly time: number;
    readonly owner: number;
    readonly requestor: number;
    readonly selection: number;
    readonly target: number;
    readonly property: number;
  }

  export interface XClient {
    /** What is known of atoms, by name. */
    atoms: Readonly<Record<string, number>>;
    require(extension: 'fixes', answer: Answer<Fixes>): void;
    require(extension: 'res', answer: Answer<Resources>): void;
    on(event: 'event', listener: (event: XEvent) => void): void;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
    ): void;
    SetSelectionOwner(owner: number, selection: number): void;
    GetSelectionOwner(selection: number, answer: Answer<number>): void;
    ConvertSelection(requestor: number, selection: number, target: number, property: number): void;
    ChangeProperty(
      mode: 0,
      window: number,
      property: number,
      type: number,
      format: 8 | 32,
      data: Buffer | readonly number[],
    ): void;
    SendEvent(
      destination: number,
      propagate: 0,
      mask: 0,
      event: Omit<XEvent, 'owner' | 'subtype'>,
    ): void;
    SendClientMessage(
      destination: number,
      window: number,
      type: number,
      format: 32,
      data: readonly number[],
    ): void;
    GetAtomName(atom: number, answer: Answer<string>): void;
    require(extension: 'xtest', answer: Answer<TestInput>): void;
    RaiseWindow(window: number): void;
    SetInputFocus(window: number, revertTo: number): void;
    GetInputFocus(answer: Answer<{ readonly focus: number }>): void;
    GetKeyboardMapping(
      first: number,
      count: number,
      answer: Answer<readonly (readonly number[])[]>,
    ): void;
    ChangeKeyboardMapping(first: number, perKey: number, symbols: readonly number[]): void;
    require(extension: 'composite', answer: Answer<Composite>): void;
    AllocID(): number;
    FreePixmap(pixmap: number): void;
    InternAtom(onlyIfExists: boolean, name: string, answer: Answer<number>): void;
    GetProperty(
      remove: 0 | 1,
      window: number,
      property: number,
      type: 0,
      from: number,
      longs: number,
      answer: Answer<{ readonly data: Buffer; readonly type: number; readonly bytesAfter: number }>,
    ): void;
    QueryTree(
      window: number,
      answer: Answer<{ readonly parent: number; readonly children: readonly number[] }>,
    ): void;
    GetWindowAttributes(window: number, answer: Answer<WindowAttributes>): void;
    GetGeometry(drawable: number, answer: Answer<Geometry>): void;
    TranslateCoordinates(
      from: number,
      to: number,
      x: number,
      y: number,
      answer: Answer<{ readonly destX: number; readonly destY: number }>,
    ): void;
    GetImage(
      format: number,
      drawable: number,
      x: number,
      y: number,
      width: number,
      height: number,
      planes: number,
      answer: Answer<{ readonly data: Buffer }>,
    ): void;
    on(event: 'error', listener: (error: unknown) => void): void;
    terminate(): void;
  }

  interface Display {
    readonly client: XClient;
    readonly screen: readonly { readonly root: number }[];
  }

  const x11: {
    createClient(
      options: {
        readonly display: string;
        readonly stream: Socket;
        /** Requests are sent together; `flushOnReply: false`: also those that are answered. */
        readonly bufferRequests: { readonly flushOnReply: boolean };
        readonly auth: { readonly name: string; readonly data: string };
      },
      answer: Answer<Display>,
    ): void;
  };
  export default x11;
}
