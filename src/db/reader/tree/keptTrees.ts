import { deserialize, serialize } from 'node:v8';
import { deflateSync, inflateSync } from 'node:zlib';
import type { TracedThread } from '../../../model/eventColumns.ts';
import type { TreeQuery, TreeResult } from '../../../model/questions/query.ts';
import type { Sqlite, Statement } from '../../sqlite.ts';
import type { Block } from '../block.ts';

export type ThreadTree = TreeResult['threads'][number];

/** The limits most questions have: twelve levels, a budget of 2,000 tokens. */
export const usualLimits: TreeLimits = { maxDepth: 12, maxNodes: 2000, maxRead: 200 };

export type TreeLimits = Pick<TreeQuery, 'maxDepth' | 'maxNodes' | 'maxRead'>;

/** Trees of fewer calls are folded as quickly as looked for. */
const REMEMBERED_FROM = 512;
/** Lines of all trees in memory. */
const REMEMBERED_LINES = 10_000;

/** The tree of all calls of a thread. */
export interface KeptTree {
  readonly tree: ThreadTree;
  /** Whether it has self times. */
  readonly selfTime: boolean;
  /** Nothing begins or ends later. */
  readonly until: number;
  /** What it was folded with, and what it came to. */
  readonly limits: TreeLimits;
  readonly levels: number;
  readonly nodes: number;
}

/** All calls of a thread are asked for. */
export interface TreeAsked extends TreeLimits {
  readonly selfTime: boolean;
  /** What begins or ends later does not count. */
  readonly until: number;
}

/** What a tree is made of besides its question. */
export interface TreeSource {
  readonly thread: TracedThread;
  readonly blocks: readonly Block[];
  readonly functionsVersion: number;
}

/**
 * Trees of whole threads: those that were folded once their session was over (writer/treeStore.ts), so that a first tree
 * of millions of calls takes one row, and those that were folded here. Any may be missing.
 */
export class KeptTrees {
  readonly #row: Statement<[thread: number], { state: string; data: Buffer }>;
  readonly #lateEnds: Statement<[thread: number], { ends: number }>;
  /** By thread, the latest last. */
  readonly #folded = new Map<number, { readonly state: string; readonly kept: KeptTree }>();
  #lines = 0;

  constructor(db: Sqlite) {
    this.#row = db.prepare('SELECT state, data FROM trees WHERE thread = ?');
    this.#lateEnds = db.prepare('SELECT count(*) AS ends FROM late WHERE thread = ?');
  }

  /** What folding would answer; null: that has to be found out. */
  find(source: TreeSource, asked: TreeAsked): ThreadTree | null {
    const folded = this.#folded.get(source.thread.key);
    if (folded && folded.state === this.stateOf(source)) {
      const tree = asAsked(folded.kept, asked);
      if (tree) return tree;
    }
    const stored = this.stored(source);
    const tree = stored && asAsked(stored, asked);
    if (stored && tree) this.remember(source, stored);
    return tree;
  }

  /** Null: there is none, or it is not true any more. */
  stored(source: TreeSource): KeptTree | null {
    const row = this.#row.get(source.thread.key);
    if (!row || row.state !== this.stateOf(source)) return null;
    try {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- as `bytesOf` wrote it; a pack's are left out (pack.ts).
      return deserialize(inflateSync(row.data)) as KeptTree;
    } catch {
      return null; // It is damaged: what it was folded from is there.
    }
  }

  /** The next question of the thread is likely to want the same. */
  remember(source: TreeSource, kept: KeptTree): void {
    if (kept.tree.calls < REMEMBERED_FROM) return;
    const { key } = source.thread;
    this.#forget(key);
    this.#folded.set(key, { state: this.stateOf(source), kept });
    this.#lines += kept.nodes;
    for (const oldest of this.#folded.keys()) {
      if (this.#lines <= REMEMBERED_LINES) return;
      this.#forget(oldest);
    }
  }

  /** Equal as long as a tree is true: blocks never change, but some go, and some of their calls end later. */
  stateOf({ thread, blocks, functionsVersion }: TreeSource): string {
    const calls = blocks.reduce((sum, block) => sum + block.calls, 0);
    const lateEnds = this.#lateEnds.get(thread.key)?.ends ?? 0;
    const last = blocks.at(-1)?.id ?? 0;
    const { tid, pid, name } = thread;
    const made = [blocks.length, last, calls, lateEnds, functionsVersion, usualLimits];
    return JSON.stringify([...made, tid, pid, name]);
  }

  #forget(thread: number): void {
    this.#lines -= this.#folded.get(thread)?.kept.nodes ?? 0;
    this.#folded.delete(thread);
  }
}

export function bytesOf(kept: KeptTree): Buffer {
  return deflateSync(serialize(kept));
}

function asAsked(
  { tree, until, limits, levels, nodes, selfTime }: KeptTree,
  asked: TreeAsked,
): ThreadTree | null {
  const isSame =
    (selfTime || !asked.selfTime) &&
    asked.until >= until &&
    // Below the last level, or behind the last line, something may have been left out, or not read.
    (levels < limits.maxDepth ? levels <= asked.maxDepth : asked.maxDepth === limits.maxDepth) &&
    (nodes < limits.maxNodes ? nodes <= asked.maxNodes : asked.maxNodes === limits.maxNodes) &&
    (nodes < limits.maxRead ? nodes <= asked.maxRead : asked.maxRead === limits.maxRead);
  if (!isSame) return null;
  return asked.selfTime === selfTime ? tree : { ...tree, roots: tree.roots.map(withoutSelf) };
}

type Line = ThreadTree['roots'][number];

function withoutSelf(line: Line): Line {
  return { ...line, selfNs: null, children: line.children.map(withoutSelf) };
}
