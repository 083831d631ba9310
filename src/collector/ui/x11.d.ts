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

  export interface XClient {
    require(extension: 'xtest', answer: Answer<TestInput>): void;
    RaiseWindow(window: number): void;
    SetInputFocus(window: number, revertTo: number): void;
    GetInputFocus(answer: Answer<unknown>): void;
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
      remove: 0,
      window: number,
      property: number,
      type: 0,
      from: number,
      longs: number,
      answer: Answer<{ readonly data: Buffer }>,
    ): void;
    QueryTree(window: number, answer: Answer<{ readonly children: readonly number[] }>): void;
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
    on(event: 'error' | 'end', listener: (error: unknown) => void): void;
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
        readonly auth: { readonly name: string; readonly data: string };
      },
      answer: Answer<Display>,
    ): void;
  };
  export default x11;
}
