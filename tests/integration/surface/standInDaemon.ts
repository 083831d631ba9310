import { pause } from '../../../src/base/deadline.ts';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { serve } from '../../../src/daemon/serve.ts';
import type { ToolAnswer } from '../../../src/daemon/report/answers/answer.ts';
import type { RequestContext } from '../../../src/daemon/request.ts';
import { StrobeError } from '../../../src/model/errors.ts';
import type { DebugLaunchOutput } from '../../../src/protocol/tools/debugLaunch.ts';
import type { DebugQueryOutput } from '../../../src/protocol/tools/debugQuery.ts';
import type {
  DebugSessionInput,
  DebugSessionOutput,
} from '../../../src/protocol/tools/debugSession.ts';
import type { DebugBreakpointOutput } from '../../../src/protocol/tools/debugBreakpoint.ts';
import type { DebugChannelOutput } from '../../../src/protocol/tools/debugChannel.ts';
import type { DebugContinueOutput } from '../../../src/protocol/tools/debugContinue.ts';
import type { DebugInspectOutput } from '../../../src/protocol/tools/debugInspect.ts';
import type { DebugMemoryOutput } from '../../../src/protocol/tools/debugMemory.ts';
import type { DebugTestOutput } from '../../../src/protocol/tools/debugTest.ts';
import type { DebugTraceOutput } from '../../../src/protocol/tools/debugTrace.ts';
import type { DebugUiOutput } from '../../../src/protocol/tools/debugUi.ts';

/*
 * A whole daemon over sessions that run nothing: launching stores a session in memory, waiting
 * waits for the limit, the cancellation or the end, so that what lies between a client and the
 * handlers can be tested without a target.
 */

interface Held {
  readonly id: string;
  readonly command: string;
  owner: string;
}

const counters = { seen: 0, stored: 0, lost: 0, sampled: 0, byCause: {} };
const nothingHooked = { activePatterns: [], matchedFunctions: 0, hookedFunctions: 0, refusals: [] };

function answer(text: string, structured: object): ToolAnswer {
  return { text, structured };
}

async function compose(): Promise<Daemon> {
  const held = new Map<string, Held>();
  const cancelled: string[] = [];

  function mine(wanted: string | undefined, context: RequestContext): Held {
    if (wanted !== undefined) {
      const found = held.get(wanted);
      if (found) return found;
      throw new StrobeError('UNKNOWN_SESSION', `No session ${wanted}.`);
    }
    const own = [...held.values()].filter((one) => one.owner === context.client.id).at(-1);
    if (!own) throw new StrobeError('NO_SESSION', 'You have no session.');
    return own;
  }

  async function wait(
    input: Extract<DebugSessionInput, { action: 'wait' }>,
    context: RequestContext,
  ): Promise<ToolAnswer> {
    const session = mine(input.sessionId, context);
    for (let step = 1; step <= 3; step++) {
      context.progress(`step ${step} of 3`, step, 3);
    }
    await pause(input.timeoutMs, context.signal);
    if (context.signal.aborted) {
      cancelled.push(session.id);
      throw new StrobeError('CANCELLED', 'The wait was cancelled.');
    }
    return answer('nothing happened', {
      action: 'wait',
      sessionId: session.id,
      happened: 'timeout',
      state: 'running',
      exit: null,
      waitedMs: input.timeoutMs,
      cursor: null,
      counters,
      output: [],
      outputLines: 0,
      notes: [],
      nextSteps: cancelled.map((id) => `cancelled ${id}`),
    } satisfies DebugSessionOutput);
  }

  function list(context: RequestContext, scope: 'mine' | 'all'): ToolAnswer {
    const sessions = [...held.values()]
      .filter((one) => scope === 'all' || one.owner === context.client.id)
      .map((one) => ({
        sessionId: one.id,
        state: 'running' as const,
        exit: null,
        pid: null,
        runtime: 'none',
        command: one.command,
        projectRoot: '/',
        startedAt: '2026-02-05T14:32:00.000Z',
        ageMs: 0,
        endedMsAgo: null,
        mine: one.owner === context.client.id,
      }));
    return answer(sessions.map((one) => one.sessionId).join('\n'), {
      action: 'list',
      sessions,
      totalCount: sessions.length,
      hasMore: false,
      cursor: null,
      nextSteps: [],
    } satisfies DebugSessionOutput);
  }

  return {
    complete: () => Promise.resolve([]),
    defaultSession: () => null,
    editor: () => {
      throw new StrobeError('BAD_PARAMETER', 'There are no editors here.');
    },
    handlers: {
      async debug_launch(input, context) {
        if (!('args' in input))
          throw new StrobeError('NO_SUCH_PROCESS', 'There is no such process.');
        if (input.command === 'fault') throw new TypeError('a fault of ours');
        const id = `${input.command}-2026-02-05-14h32-k7f${held.size}`;
        held.set(id, { id, command: input.command, owner: context.client.id });
        return answer(
          `launched ${id} with ${input.args.join(' ')} umask ${context.client.umask.toString(8)} in ${input.projectRoot}`,
          {
            sessionId: id,
            pid: process.pid,
            state: 'running',
            exit: null,
            runtime: 'none',
            projectRoot: input.projectRoot,
            debugInfo: { found: [], missing: [], advice: null },
            pendingPatternsApplied: 0,
            hooks: nothingHooked,
            outputTail: [],
            notes: [`env ${context.client.env['SURFACE_TEST'] ?? 'without'}`],
            nextSteps: [],
          } satisfies DebugLaunchOutput,
        );
      },
      async debug_session(input, context) {
        switch (input.action) {
          case 'wait':
            return await wait(input, context);
          case 'list':
            return list(context, input.scope);
          case 'stop': {
            const session = mine(input.sessionId, context);
            held.delete(session.id);
            return answer(`stopped ${session.id}`, {
              action: 'stop',
              sessionId: session.id,
              state: 'ended',
              exit: null,
              how: 'terminated',
              retained: input.retain,
              counters,
              nextSteps: [],
            } satisfies DebugSessionOutput);
          }
          case 'status':
          case 'input':
          case 'restart':
          case 'detach':
          case 'retain':
          case 'delete':
          case 'pack':
          case 'open':
          case 'export':
            throw new StrobeError('SESSION_ENDED', 'Nothing runs here.');
        }
      },
      async debug_trace(input) {
        return answer('traced', {
          mode: input.pending ? 'pending' : 'runtime',
          sessionId: null,
          ...nothingHooked,
          activeWatches: [],
          warnings: [],
          eventLimit: null,
          status: JSON.stringify(input),
          nextSteps: [],
        } satisfies DebugTraceOutput);
      },
      debug_test: () =>
        Promise.resolve(
          answer('no runs', { action: 'list', runs: [], nextSteps: [] } satisfies DebugTestOutput),
        ),
      debug_breakpoint: () =>
        Promise.resolve(
          answer('no breakpoints', {
            sessionId: '',
            breakpoints: [],
            warnings: [],
            nextSteps: [],
          } satisfies DebugBreakpointOutput),
        ),
      debug_continue: () =>
        Promise.resolve(
          answer('nothing is stopped', {
            sessionId: '',
            state: 'running',
            stops: [],
            nextSteps: [],
          } satisfies DebugContinueOutput),
        ),
      debug_inspect: () =>
        Promise.resolve(
          answer('nothing is stopped', {
            sessionId: '',
            nextSteps: [],
          } satisfies DebugInspectOutput),
        ),
      debug_memory: () =>
        Promise.resolve(
          answer('nothing is stopped', {
            sessionId: '',
            outcome: 'done',
            results: [],
            nextSteps: [],
          } satisfies DebugMemoryOutput),
        ),
      debug_channel: () =>
        Promise.resolve(
          answer('no channels', {
            action: 'list',
            sessionId: '',
            channels: [],
            nextSteps: [],
          } satisfies DebugChannelOutput),
        ),
      debug_ui: () =>
        Promise.resolve(
          answer('a picture', {
            action: 'screenshot',
            sessionId: '',
            window: '',
            width: 0,
            height: 0,
            path: '',
            otherWindows: [],
            omitted: [],
            nextSteps: [],
          } satisfies DebugUiOutput),
        ),
      async debug_query(input, context) {
        const session = mine(input.sessionId, context);
        return answer(JSON.stringify(input), {
          view: 'output',
          sessionId: session.id,
          state: 'running',
          exit: null,
          counters,
          pids: [],
          totalCount: 1,
          hasMore: false,
          cursor: null,
          indexedTo: null,
          notes: [],
          nextSteps: [],
          lines: [{ timestampNs: 1, stream: 'stdout', text: 'x'.repeat(100) }],
        } satisfies DebugQueryOutput);
      },
    },
    run: {
      async prepare() {
        throw new StrobeError('PROGRAM_NOT_FOUND', 'There is no such program here.');
      },
      async start() {
        throw new StrobeError('UNKNOWN_SESSION', 'Nothing was prepared.');
      },
      async live() {
        throw new StrobeError('UNKNOWN_SESSION', 'Nothing was prepared.');
      },
      async wait() {
        throw new StrobeError('UNKNOWN_SESSION', 'Nothing was prepared.');
      },
      async abandon() {},
      async clientGone() {},
    },
    clientArrived() {},
    rest() {},
    awaited: [],
    async clientGone(client) {
      for (const one of held.values()) if (one.owner === client.id) held.delete(one.id);
    },
    get busy() {
      return held.size > 0;
    },
    holding: false,
    get figures() {
      return { running: held.size, stored: held.size, storedBytes: 0 };
    },
    async close() {
      held.clear();
    },
  };
}

process.exit(await serve(compose));
