import { afterAll, test } from 'vitest';
import { startClient, type TestClient } from './client.ts';
import { openHome, type HomeUser, type TestHome } from './home.ts';
import { itNeeds } from './needs.ts';

export interface Opened {
  readonly home: TestHome;
  readonly client: TestClient;
}

/** One of each user, for all tests of a file. */
const homes = new Map<HomeUser, Promise<Opened>>();

afterAll(async () => {
  for (const one of homes.values()) await (await one).home.close();
});

async function open(user: HomeUser): Promise<Opened> {
  const home = openHome({}, undefined, user);
  return { home, client: await startClient(home) };
}

async function as(user: HomeUser, run: (opened: Opened) => Promise<void>): Promise<void> {
  const one = homes.get(user) ?? open(user);
  homes.set(user, one);
  await run(await one);
}

/** A test that runs as the user of the tests and, where these may be another, as one without privileges. */
export function testAsEach(title: string, run: (opened: Opened) => Promise<void>): void {
  test(title, async () => as('us', run));
  itNeeds('root', `${title}, as a user without privileges`, async () => as('nobody', run));
}
