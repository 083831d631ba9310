import { getSystemErrorName } from 'node:util';
import { within } from '../../base/deadline.ts';
import type { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import type { AskedExec, HeldExec } from '../../collector/supervisor/supervisorLink.ts';
import { imageOf } from '../../collector/program/image.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { SeenProgram } from '../../model/outputRecord.ts';
import { outsideProject } from '../../model/session.ts';
import type { LifeRecord } from '../indexing/indexMessages.ts';
import { startWithStops } from '../stops/startWithStops.ts';
import type { SessionContext } from './sessionContext.ts';
import type { SessionTracing } from '../tracing/tracing.ts';

/** A program waits at its exec no longer than this for the symbols of its file. */
const DECIDE_LIMIT_MS = 8_000;
/** It stands at its exec no longer than this while it is attached to. */
const ATTACH_LIMIT_MS = 30_000;
const HELD_LIMIT_MS = 10_000;

/** Decides at each exec of a session's tree whether the new program is traced, and sees to it. */
export function followExecs(
  context: SessionContext,
  tracing: SessionTracing,
  supervisor: Supervisor,
): void {
  new Following(context, tracing, supervisor).begin();
}

/** `reason`: why a program is left alone that a pattern may have meant. */
type Wish =
  | { readonly kind: 'trace'; readonly image: string }
  | { readonly kind: 'leave'; readonly reason: string | null };

class Following {
  readonly #context: SessionContext;
  readonly #tracing: SessionTracing;
  readonly #supervisor: Supervisor;
  readonly #waiting = new Map<number, (held: HeldExec) => void>();

  constructor(context: SessionContext, tracing: SessionTracing, supervisor: Supervisor) {
    this.#context = context;
    this.#tracing = tracing;
    this.#supervisor = supervisor;
  }

  begin(): void {
    this.#supervisor.onExec((asked) => void this.#take(asked));
    this.#supervisor.onHeld((held) => {
      this.#waiting.get(held.number)?.(held);
      this.#waiting.delete(held.number);
    });
  }

  async #take(asked: AskedExec): Promise<void> {
    const supervisor = this.#supervisor;
    const { processes, facts, services } = this.#context;
    try {
      const wish = await within(DECIDE_LIMIT_MS, this.#wish(asked), () => tooLate(asked));
      if (wish.kind === 'trace') await this.#hold(asked, wish.image);
      else if (wish.reason === null) await supervisor.decide(asked.number, 'pass');
      else {
        processes.traced(asked.pid, { kind: 'untraced', reason: wish.reason }, asked.path);
        await supervisor.decide(asked.number, 'go');
      }
    } catch (error) {
      const reason = this.#untraced(asked, error);
      const detail = { session: facts.id, pid: asked.pid, reason };
      services.log.warn('session', 'a child runs untraced', detail);
      // Whatever went wrong, it must go on; what runs already is no error.
      await supervisor.decide(asked.number, 'go').catch(() => undefined);
      await supervisor.resume(asked.pid).catch(() => undefined);
    }
  }

  async #wish(asked: AskedExec): Promise<Wish> {
    const image = await imageOf(asked.path);
    const wanted =
      image === null ? 'no' : await this.#tracing.programs.wants(image.path, asked.pid);
    if (image === null || wanted === 'no') return { kind: 'leave', reason: null };
    if (wanted === 'outside') return { kind: 'leave', reason: outsideProject };
    const process = { pid: asked.pid, atExec: true };
    const claim = await this.#context.services.runtimes.claimOf(image.path, process);
    if (!claim.able) return { kind: 'leave', reason: claim.reason };
    return { kind: 'trace', image: image.path };
  }

  async #hold(asked: AskedExec, image: string): Promise<void> {
    const { processes } = this.#context;
    const told = new Promise<HeldExec>((resolve) => this.#waiting.set(asked.number, resolve));
    const held = await this.#told(asked, told).finally(() => this.#waiting.delete(asked.number));
    if (held.errno !== 0) {
      throw new StrobeError(
        'PTRACE_DENIED',
        `it could not be held at its start (${getSystemErrorName(-held.errno)})`,
      );
    }
    await this.#tracing.processGone(held.pid);
    const attaching = this.#attach(asked, held, image);
    const hooked = await within(ATTACH_LIMIT_MS, attaching, () => tooLate(asked));
    processes.traced(held.pid, { kind: 'traced', hooked }, asked.path);
  }

  async #told(asked: AskedExec, told: Promise<HeldExec>): Promise<HeldExec> {
    if (!(await this.#supervisor.decide(asked.number, 'hold'))) throw tooLate(asked);
    return await within(HELD_LIMIT_MS, told, () => tooLate(asked));
  }

  /** Resumes also after it has failed or come too late: the host holds the process until then. */
  async #attach(asked: AskedExec, { pid }: HeldExec, image: string): Promise<number> {
    const [supervisor, tracing] = [this.#supervisor, this.#tracing];
    try {
      return await tracing.trace({ pid, image, atExec: true });
    } catch (error) {
      // Before it continues, as it may soon end.
      this.#untraced(asked, error);
      throw error;
    } finally {
      await startWithStops(tracing, pid, supervisor, async () => {
        const runs = await tracing.resume(pid).catch(() => false);
        await (runs ? supervisor.resumed(pid) : supervisor.resume(pid));
        return tracing.stops.process.runs(pid);
      });
    }
  }

  /** Notes why the program that is executed is not traced, and answers it. */
  #untraced({ pid, path }: AskedExec, error: unknown): string {
    const reason = error instanceof StrobeError ? error.message : String(error);
    this.#context.processes.traced(pid, { kind: 'untraced', reason }, path);
    return reason;
  }
}

function tooLate(asked: AskedExec): StrobeError {
  return new StrobeError('TIMED_OUT', `${asked.path} was not ready to be traced in time`);
}

/** What a record of the tree's life says that an answer must tell, or null. */
export function noteOf(record: LifeRecord): string | null {
  if (record.kind === 'exec' && record.unprivileged) return unprivileged(record);
  if (record.kind === 'follow' && record.errno !== 0) return unfollowed(record.errno);
  if (record.kind === 'failover') return succeeded(record.time);
  return null;
}

/** For a setuid program that a followed tree executes. */
function unprivileged(program: SeenProgram): string {
  return `${program.path} (pid ${program.pid}) ran without its privilege (setuid or capabilities), because programs of the tree are followed: launch with follow "none" if it needs it.`;
}

function unfollowed(errno: number): string {
  const name = getSystemErrorName(-errno);
  const why = name === 'EBUSY' ? 'another program follows them already' : name;
  return `Programs that the target executes are not followed (${why}): only its main process can be traced.`;
}

function succeeded(at: SessionNs): string {
  return `Its supervisor was killed at +${(at / 1e9).toFixed(2)} s and its standby took over: output and exit status are complete; a program executed at that moment may be untraced.`;
}
