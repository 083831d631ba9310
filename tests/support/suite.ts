import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startClient, type TestClient } from './client.ts';
import { openHome, type TestHome } from './home.ts';

/** A home that is closed when the test ends. */
export function testHome(...options: Parameters<typeof openHome>): TestHome {
  const home = openHome(...options);
  onTestFinished(async () => home.close());
  return home;
}

/** A home for all tests of a suite. `settings`: variables for its daemon. */
export function withHome(settings: Readonly<Record<string, string>> = {}): TestHome {
  let home: TestHome | undefined;
  beforeAll(() => {
    home = openHome(settings);
  });
  afterAll(async () => home?.close());
  return later(() => home);
}

/** The same, and a client that is connected to it. */
export function withClient(settings: Readonly<Record<string, string>> = {}): {
  readonly home: TestHome;
  readonly client: TestClient;
} {
  const home = withHome(settings);
  let client: TestClient | undefined;
  beforeAll(async () => {
    client = await startClient(home);
  });
  return { home, client: later(() => client) };
}

/** Stands for what is opened before the first test runs: a suite whose tests are all skipped opens nothing. */
function later<T extends object>(opened: () => T | undefined): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- every access goes to what was opened
  return new Proxy({} as T, {
    get: (_target, name) => {
      const found = opened();
      if (found === undefined) throw new Error('it is opened before the first test runs');
      return Reflect.get(found, name);
    },
  });
}
