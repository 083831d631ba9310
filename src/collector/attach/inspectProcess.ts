import { readFileSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { StrobeError } from '../../model/errors.ts';
import { ownMachine, readElfHeader } from '../program/elfHeader.ts';
import { commandOf, linkOf, processFacts, readOf, type ProcessFacts } from '../../base/proc.ts';

/** A process that can be attached to. */
export interface AttachableProcess {
  readonly pid: number;
  readonly startTicks: string;
  readonly command: readonly string[];
  readonly cwd: string;
  /** The ELF file it runs. */
  readonly image: string;
  /** Its dynamic loader; null: it has none. */
  readonly loader: string | null;
  /** The file was replaced or removed since it was started: what is on disk is not what runs. */
  readonly imageReplaced: boolean;
}

/**
 * What a pid is, before anything touches it. NO_SUCH_PROCESS, NOT_ATTACHABLE, ALREADY_OBSERVED,
 * PTRACE_DENIED, WRONG_ARCHITECTURE, each with the next step.
 */
export async function inspectProcess(pid: number): Promise<AttachableProcess> {
  const facts = processFacts(pid);
  if (!facts) throw new StrobeError('NO_SUCH_PROCESS', `There is no process ${pid}.`);
  refuseKind(facts);
  refuseState(facts);
  refusePermission(facts);
  await refuseOtherWorld(pid);
  const loader = await refuseProgram(pid);
  const link = linkOf(pid, 'exe') ?? '';
  const image = link.replace(/ \(deleted\)$/, '');
  return {
    pid,
    startTicks: facts.startTicks,
    command: commandOf(pid),
    cwd: linkOf(pid, 'cwd') ?? '/',
    image: real(image),
    loader,
    imageReplaced: link !== image,
  };
}

function refuseKind({ pid, group, parent, state, isKernel }: ProcessFacts): void {
  if (group !== pid) {
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `${pid} is a thread of process ${group}.`,
      `Attach to ${group}: all its threads are observed.`,
    );
  }
  if (state === 'Z' || state === 'X') {
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `Process ${pid} has ended; its parent ${parent} has not waited for it yet (zombie).`,
      'Launch the program with debug_launch to see how it ends.',
    );
  }
  if (isKernel)
    throw new StrobeError('NOT_ATTACHABLE', `${pid} is a thread of the kernel, not a program.`);
  if (isOurs(pid)) {
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `Process ${pid} is a part of Strobe itself.`,
      'Attach to the program under study; debug_session {"action":"list","scope":"all"} shows their pids.',
    );
  }
}

/** Daemon, supervisor, standby, watcher, host or its restorer, of this or another Strobe. */
export function isOurs(pid: number): boolean {
  if (pid === process.pid) return true;
  const [program = '', ...args] = commandOf(pid);
  const native =
    /\/dist\/(supervisor|watcher|stopper|spotter)$|^strobe-(standby|supervisor|restorer)$/;
  if (native.test(program)) return true;
  const parts = /\/(dist\/(daemon|client)\.js|src\/collector\/frida\/sidecar\.py)$/;
  return /(^|\/)(node|python[\d.]*)$/.test(program) && args.some((word) => parts.test(word));
}

function refuseState({ pid, state, tracer }: ProcessFacts): void {
  if (tracer !== 0) {
    const [name = 'a debugger'] = commandOf(tracer);
    throw new StrobeError(
      'ALREADY_OBSERVED',
      `Process ${pid} is held by ${name} (process ${tracer}): only one debugger can hold a process.`,
      `Let it go there (gdb: detach; strace: Ctrl-C), then attach.`,
    );
  }
  // The files of a session that has ended are deleted, and may stay mapped.
  const agent = / (\/\S*(?:frida-agent|\/strobe-\d+\/([^/]+)\/(?!.* \(deleted\)$))\S*)/m.exec(
    readOf(pid, 'maps') ?? '',
  );
  if (agent) {
    throw new StrobeError(
      'ALREADY_OBSERVED',
      agent[2] === undefined
        ? `Process ${pid} is observed already, by another tool that uses Frida.`
        : `Process ${pid} is observed already, by session ${agent[2]} of another Strobe daemon.`,
      'Detach it there first.',
    );
  }
  if (state === 'T') {
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `Process ${pid} is stopped (SIGSTOP, or Ctrl-Z in its terminal).`,
      `Let it continue first: kill -CONT ${pid}.`,
    );
  }
}

function refusePermission({ pid, uid }: ProcessFacts): void {
  const own = process.geteuid?.() ?? uid;
  if (uid !== own) {
    throw new StrobeError(
      'PTRACE_DENIED',
      `Process ${pid} belongs to user ${uid}, Strobe runs as user ${own}.`,
      'Run Strobe as that user: only processes of the same user are observed.',
    );
  }
  const refusal = yamaRefusal(scopeText(), own);
  if (refusal) throw refusal;
  if (linkOf(pid, 'exe') === null) {
    throw new StrobeError(
      'PTRACE_DENIED',
      `The kernel denies access to process ${pid}: it is privileged, or not dumpable (PR_SET_DUMPABLE).`,
      'Launch the program with debug_launch, without those privileges.',
    );
  }
}

/**
 * Why the kernel refuses to attach to a process that did not ask for it, by the text of
 * kernel.yama.ptrace_scope and our effective user; null when it does not. 3 refuses root, too.
 */
export function yamaRefusal(text: string, user: number): StrobeError | null {
  const scope = Number(text);
  if (scope === 0 || (user === 0 && scope < 3)) return null;
  return new StrobeError(
    'PTRACE_DENIED',
    `kernel.yama.ptrace_scope is ${scope}: the kernel lets no process attach to one it did not start.`,
    scope === 3
      ? 'It cannot be changed until the next boot, and forbids tracing altogether: reboot with a lower value.'
      : 'sudo sysctl kernel.yama.ptrace_scope=0, or launch the program with debug_launch instead.',
  );
}

function scopeText(): string {
  try {
    return readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8');
  } catch {
    return '0'; // a kernel without Yama
  }
}

/** In a container or a changed root our files do not exist. */
async function refuseOtherWorld(pid: number): Promise<void> {
  // Its clock differs in a time namespace: what it does would be told at wrong times.
  for (const space of ['mnt', 'pid', 'time']) {
    const theirs = linkOf(pid, `ns/${space}`);
    if (theirs === null || theirs === linkOf('self', `ns/${space}`)) continue;
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `Process ${pid} runs in a container of its own (${space} namespace).`,
      'Run Strobe inside that container.',
    );
  }
  const root = linkOf(pid, 'root');
  if (root !== null && root !== linkOf('self', 'root')) {
    throw new StrobeError(
      'NOT_ATTACHABLE',
      `Process ${pid} has the root folder ${root}: Strobe's libraries do not exist there.`,
      'Run it without chroot to observe it.',
    );
  }
}

/** Answers its dynamic loader. */
async function refuseProgram(pid: number): Promise<string | null> {
  const file = await open(`/proc/${pid}/exe`, 'r').catch(() => null);
  if (!file) throw new StrobeError('NO_SUCH_PROCESS', `Process ${pid} has ended.`);
  try {
    const elf = await readElfHeader(file);
    if (!elf) return ''; // Damaged: entering it tells better.
    if (elf.bits !== 64 || elf.machine !== ownMachine) {
      throw new StrobeError(
        'WRONG_ARCHITECTURE',
        `Process ${pid} runs a program for ${elf.machine} (${elf.bits} bits); Strobe observes ${ownMachine} (64 bits).`,
        'Build it for this machine and start it again.',
      );
    }
    return elf.loader;
  } finally {
    await file.close();
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it was removed
  }
}
