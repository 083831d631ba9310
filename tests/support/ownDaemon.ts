import { join } from 'node:path';
import type { Channel } from '../../src/collector/channels/channel.ts';
import { compose } from '../../src/daemon/compose.ts';
import type { Daemon } from '../../src/daemon/daemon.ts';
import { Log } from '../../src/daemon/log.ts';
import { loadSettings } from '../../src/daemon/settings.ts';
import { ToolCalls } from '../../src/daemon/toolCalls.ts';
import type { Runtime } from '../../src/daemon/tracing/runtimeList.ts';
import type { Answer } from './client.ts';
import { openHome, type TestHome } from './home.ts';

/** A daemon inside the test's own process: runtimes and channels of the test can be its own. */
export class OwnDaemon {
  readonly home: TestHome;
  readonly #daemon: Daemon;
  readonly #calls: ToolCalls;
  readonly #log: Log;

  private constructor(home: TestHome, daemon: Daemon, log: Log) {
    this.home = home;
    this.#daemon = daemon;
    this.#log = log;
    this.#calls = new ToolCalls(daemon, log);
  }

  static async start(
    moreRuntimes: readonly Runtime[],
    moreChannels: readonly Channel[] = [],
  ): Promise<OwnDaemon> {
    const home = openHome();
    const { value: settings } = loadSettings({
      homeFile: join(home.path, 'settings.json'),
      env: home.env,
    });
    const log = Log.open(join(home.path, 'daemon.log'), { levels: 'warn', maxBytes: 1 << 20 });
    const daemon = await compose({ home: home.path, settings, log, moreRuntimes, moreChannels });
    return new OwnDaemon(home, daemon, log);
  }

  /** A tool call's answer; throws the error of a refused one. */
  async ok(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { project, env } = this.home;
    const outcome = await this.#calls.call(tool, args, {
      client: { id: 'tests', kind: 'mcp', cwd: project, env, umask: 0o022 },
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    if (!outcome.ok) throw outcome.error;
    const structured: unknown = JSON.parse(JSON.stringify(outcome.answer.structured));
    return { text: outcome.answer.text, structured, isError: false, images: [] };
  }

  async close(): Promise<void> {
    await this.#daemon.close();
    this.#log.close();
    await this.home.close();
  }
}
