import { runsAgent } from '../../collector/frida/agentThreads.ts';
import { processorOf } from '../../model/processors.ts';
import type { CrashReport, HookBreakpoint, VariablesOf } from '../../model/endings/crashReport.ts';
import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { Value } from '../../model/questions/query.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import { secretIn } from '../../model/values/redaction.ts';
import type { Snapshot, SnapshotThread } from '../../model/endings/snapshot.ts';
import { ownUnits } from '../../symbols/native/ownUnits.ts';
import type { StackReader } from '../../symbols/stackReader.ts';
import type { PostMortemOptions } from '../../symbols/native/unwind/postMortem.ts';
import type { SymbolIndex } from '../../symbols/native/symbolIndex.ts';

/** What describes the stacks of processes, dead or alive. */
export interface StackParts {
  readonly symbols: SymbolIndex;
  readonly enginePath: string;
  /** Tells where running threads are (native/sampler). */
  readonly samplerPath: string;
  /** Those of runtimes whose calls the machine's stacks do not show. */
  readonly readers: readonly StackReader[];
}

/** What of a session its stacks are described by. */
export interface StackFacts {
  readonly image: string;
  readonly projectRoot: string;
  readonly limits: { readonly secretNames: readonly string[] };
}

/** The report of a snapshot, without values that look like secrets. */
export async function explainSnapshot(
  found: Snapshot,
  facts: StackFacts,
  { symbols, enginePath }: Pick<StackParts, 'symbols' | 'enginePath'>,
): Promise<CrashReport> {
  const snapshot: Snapshot = {
    ...found,
    // One that began late the engine did not know.
    threads: found.threads.map((thread, i) =>
      i > 0 && runsAgent(stackOf(thread, found), found.mappings)
        ? { ...thread, isOurs: true }
        : thread,
    ),
  };
  const report = await symbols.explain(snapshot, modulesOf(snapshot, facts, enginePath));
  const breakpoints = await breakpointsIn(snapshot, symbols);
  return withoutSecrets({ ...report, breakpoints }, facts.limits.secretNames);
}

/** Of each of its threads a report of that thread alone, in their order, without values that look like secrets. */
export async function explainThreads(
  snapshot: Snapshot,
  facts: StackFacts,
  asked: {
    readonly parts: Pick<StackParts, 'symbols' | 'enginePath'>;
    readonly variablesOf: VariablesOf;
  },
): Promise<CrashReport[]> {
  const { parts, variablesOf } = asked;
  const options = modulesOf(snapshot, facts, parts.enginePath);
  const reports = await parts.symbols.explainThreads(snapshot, options, variablesOf);
  return reports.map((report) => withoutSecrets(report, facts.limits.secretNames));
}

/** What an expression is in a frame of the first thread, without values that look like secrets. */
export async function evaluateSnapshot(
  snapshot: Snapshot,
  facts: StackFacts,
  asked: {
    readonly parts: Pick<StackParts, 'symbols' | 'enginePath'>;
    readonly request: EvaluateRequest;
  },
): Promise<Evaluated> {
  const { parts, request } = asked;
  const { secretNames } = facts.limits;
  const why = readsSecret(request.expression, secretNames);
  if (why !== null) return { why };
  const options = modulesOf(snapshot, facts, parts.enginePath);
  const found = await parts.symbols.evaluate(snapshot, options, request);
  if (found.why !== undefined) return found;
  return { ...found, value: shown('', found.value, secretNames) };
}

function modulesOf(
  { mappings }: Snapshot,
  { image, projectRoot }: StackFacts,
  enginePath: string,
): PostMortemOptions {
  const files = new Set(
    mappings
      .filter((row) => row.protection.includes('x') && row.path.startsWith('/'))
      .map((row) => row.path),
  );
  return { own: ownUnits(files, image, projectRoot), hidden: [enginePath] };
}

async function breakpointsIn(snapshot: Snapshot, symbols: SymbolIndex): Promise<HookBreakpoint[]> {
  const { breakpoints = [], signal, threads, processor } = snapshot;
  const pc = threads[0]?.registers[processorOf(processor).registers.length - 1];
  const found: HookBreakpoint[] = [];
  for (const { address, leadsTo } of breakpoints) {
    const isCause =
      leadsTo === null ? pc === address + 1n : leadsTo === pc || leadsTo === signal?.address;
    found.push({ function: await nameAt(address, snapshot, symbols), isCause });
  }
  return found;
}

/** Of the function that begins at an address; the address where it has none. */
async function nameAt(
  address: bigint,
  { mappings }: Snapshot,
  symbols: SymbolIndex,
): Promise<string> {
  const path = mappings.find(({ start, end }) => address >= start && address < end)?.path ?? '';
  const base = mappings.find((row) => row.path === path)?.start ?? 0n;
  const names = path.startsWith('/')
    ? await symbols.namesAt(path, [Number(address - base)]).catch(() => [])
    : [];
  return names[0] ?? `0x${address.toString(16)}`;
}

/** What was kept of it, from its stack pointer on. */
function stackOf({ registers }: SnapshotThread, { memory, processor }: Snapshot): Uint8Array {
  const sp = registers[processorOf(processor).stack];
  if (sp == null) return new Uint8Array();
  const part = memory.find(
    ({ address, bytes }) => sp >= address && sp < address + BigInt(bytes.length),
  );
  return part === undefined ? new Uint8Array() : part.bytes.subarray(Number(sp - part.address));
}

/** The report without values whose names look like secrets. */
export function withoutSecrets(report: CrashReport, names: readonly string[]): CrashReport {
  if (names.length === 0) return report;
  return {
    ...report,
    threads: report.threads.map((thread) => ({
      ...thread,
      frames: thread.frames.map((frame) => ({
        ...frame,
        variables: frame.variables.map((variable) => ({
          ...variable,
          value: shown(variable.name, variable.value, names),
        })),
      })),
    })),
  };
}

/** The value of what has this name, fields with names of their own. */
function shown(name: string, value: Value, names: readonly string[]): Value {
  const inner = (one: Value): Value => shown(name, one, names);
  switch (value.kind) {
    case 'pointer':
      return value.target ? { ...value, target: inner(value.target) } : value;
    case 'variant':
      return value.value ? { ...value, value: inner(value.value) } : value;
    case 'bool':
    case 'null':
    case 'void':
    case 'unreadable':
    case 'notCaptured':
    case 'circular':
    case 'word':
    case 'redacted':
      return value;
    default:
  }
  const word = secretIn(name, names);
  if (word !== null) return { kind: 'redacted', word };
  if (value.kind === 'list') return { ...value, items: value.items.map(inner) };
  if (value.kind === 'map') {
    const entries = value.entries.map((entry) => ({
      key: inner(entry.key),
      value: inner(entry.value),
    }));
    return { ...value, entries };
  }
  if (value.kind !== 'object') return value;
  const fields = value.object.fields.map((field) => ({
    ...field,
    value: shown(field.name, field.value, names),
  }));
  return { ...value, object: { ...value.object, fields } };
}
