import { afterAll, beforeAll } from 'vitest';
import { startClient, type TestClient } from './client.ts';
import { openHome, type TestHome } from './home.ts';

interface Opened {
  readonly home: TestHome;
  readonly client: TestClient;
}

/**
 * Opens a home and connects a client to it before the first test of a suite, and closes both after the
 * last. `begin` takes them (its promise is awaited) and prepares what all the tests need. `settings`: variables for the daemon.
 */
export function withClient(
  begin: (opened: Opened) => unknown,
  settings: Readonly<Record<string, string>> = {},
): void {
  let home: TestHome | undefined;
  let client: TestClient | undefined;
  beforeAll(async () => {
    home = openHome(settings);
    client = await startClient(home);
    await begin({ home, client });
  });
  afterAll(async () => {
    await client?.close();
    await home?.close();
  });
}
