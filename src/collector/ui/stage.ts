import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../base/deadline.ts';
import { startDetached } from '../../base/process.ts';
import { programOn } from '../../base/paths.ts';
import { statFields } from '../../base/proc.ts';
import { readAll } from '../../base/readAll.ts';
import { StrobeError } from '../../model/errors.ts';
import { openboxConfiguration } from './ewmh/openbox.ts';
import { stagePrograms } from './stagePrograms.ts';
import { pagePipesOf, type PagePipes } from './page/chromium.ts';

/** Where the display of a session is, and how it is entered. */
export interface StageAddress {
  readonly display: string;
  readonly bus: string;
  /** Of the display, in hexadecimal. */
  readonly cookie: string;
  /** Of a program of Chromium, whose pages are read instead of its windows. */
  readonly page: PagePipes | null;
}

export const cookieName = 'MIT-MAGIC-COOKIE-1';
const COOKIE_BYTES = 16;
/** The family of an entry in Xauthority that holds for any host. */
const ANY_HOST = 0xffff;
const SCREEN = '1280x800x24';
const START_MS = 30_000;
const FILE = 'stage.json';
const PARENT_FIELD = 1;

/** A display, a window manager, a session bus and an accessibility bus that only the program of one session uses. */
export class Stage {
  readonly address: StageAddress;
  /** Why no window manager is there; null: one is. */
  readonly unmanaged: string | null;
  readonly #folder: string;
  readonly #orders: { end(text?: string): unknown };

  private constructor(
    address: StageAddress,
    folder: string,
    orders: { end(text?: string): unknown },
    unmanaged: string | null,
  ) {
    this.address = address;
    this.unmanaged = unmanaged;
    this.#folder = folder;
    this.#orders = orders;
  }

  /** Throws NO_STAGE, with the package of a program that is missing; then nothing is left. */
  static async start(stagePath: string, folder: string, path: string): Promise<Stage> {
    const found = stagePrograms.map(({ name, folders }) => programOn(path, name, folders));
    const missing = stagePrograms.filter(
      ({ isNeeded }, index) => isNeeded && found[index] === null,
    );
    if (missing.length > 0) throw notInstalled(missing);
    const [xvfb, bus, , openbox] = found;
    const cookie = randomBytes(COOKIE_BYTES);
    await writeFile(join(folder, 'Xauthority'), authority(cookie), { mode: 0o600 });
    await writeFile(join(folder, 'openbox.xml'), openboxConfiguration);
    const own = await startDetached(
      (pipes) => ({
        command: stagePath,
        args: [folder, SCREEN, `${xvfb}`, `${bus}`, openbox ?? '', ...pipes.map(String)],
      }),
      { pipes: 2 },
    );
    const [orders, answer] = own.pipes;
    if (!orders || !answer) throw new StrobeError('INTERNAL', 'The stage got no pipes.');
    orders.on('error', () => {
      // The display shows that a stage has ended: it ends with it.
    });
    try {
      const said = await within(START_MS, readAll(answer), () => late('The stage'));
      const [display = '', address, managed] = said.toString().trim().split(' ');
      if (address === undefined) throw late(display === '' ? 'The stage' : display, folder);
      const entry = { display, bus: address, cookie: cookie.toString('hex'), page: null };
      await writeFile(join(folder, FILE), JSON.stringify(entry), { mode: 0o600 });
      const unmanaged = managed === undefined ? withoutManager(openbox ?? null, folder) : null;
      return new Stage(entry, folder, orders, unmanaged);
    } catch (error) {
      orders.destroy();
      throw error;
    }
  }

  /** What the program needs to find it. */
  get environment(): Readonly<Record<string, string>> {
    const { display, bus } = this.address;
    return {
      DISPLAY: display,
      XAUTHORITY: join(this.#folder, 'Xauthority'),
      DBUS_SESSION_BUS_ADDRESS: bus,
      GDK_BACKEND: 'x11',
      QT_QPA_PLATFORM: 'xcb',
      GTK_A11Y: 'atspi',
      NO_AT_BRIDGE: '0',
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
      GSK_RENDERER: 'cairo',
      LIBGL_ALWAYS_SOFTWARE: '1',
      WAYLAND_DISPLAY: '',
    };
  }

  /** It ends when the supervisor and its standby have, whatever becomes of us. */
  keepFor(supervisorPid: number): void {
    const standby = statFields(supervisorPid)?.[PARENT_FIELD] ?? '';
    this.#orders.end(`${supervisorPid} ${standby}\n`);
  }

  end(): void {
    this.#orders.end();
  }
}

/** Whether a session was launched with a stage. */
export function hasStage(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

/** The stage of a session, also one that an earlier daemon started; null: it was launched without. */
export async function stageOf(folder: string): Promise<StageAddress | null> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, FILE), 'utf8'));
    return isStageAddress(read) ? { ...read, page: pagePipesOf(folder) } : null;
  } catch {
    return null;
  }
}

export function isStageAddress(read: unknown): read is StageAddress {
  return (
    typeof read === 'object' &&
    read !== null &&
    'display' in read &&
    'bus' in read &&
    'cookie' in read
  );
}

function notInstalled(missing: readonly (typeof stagePrograms)[number][]): StrobeError {
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ debian }) => debian).join(' ');
  return new StrobeError(
    'NO_STAGE',
    `"ui": true needs ${names}, which ${missing.length === 1 ? 'is' : 'are'} not installed.`,
    `Debian and Ubuntu: apt-get install ${packages}. Or launch without "ui".`,
  );
}

function withoutManager(openbox: string | null, folder: string): string {
  const effect =
    'a window that asks to be fullscreen, maximised or iconified stays as it is, and programs that wait for a window manager may behave otherwise';
  return openbox === null
    ? `Its display has no window manager: openbox is not installed (Debian and Ubuntu: apt-get install openbox). Until then ${effect}.`
    : `Its display has no window manager: ${openbox} did not start (${join(folder, 'stage.log')}), so ${effect}.`;
}

function late(program: string, folder?: string): StrobeError {
  const log = folder === undefined ? '' : ` Its last words are in ${join(folder, 'stage.log')}.`;
  return new StrobeError('NO_STAGE', `${program} did not start.${log}`);
}

/** An Xauthority file with one entry, for any host and display. */
function authority(cookie: Buffer): Buffer {
  const family = Buffer.alloc(2);
  family.writeUInt16BE(ANY_HOST);
  const parts = [Buffer.alloc(0), Buffer.alloc(0), Buffer.from(cookieName), cookie];
  return Buffer.concat([family, ...parts.map(counted)]);
}

function counted(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
