import type { TreeQuery, TreeResult } from '../../../model/questions/treeResult.ts';

/** Answers in memory: each has at most as many lines as its question has room for. */
const REMEMBERED = 4;

/** The last trees that were asked for, while nothing was committed since: the same question is often asked again. */
export class AnsweredTrees {
  readonly #answers = new Map<string, TreeResult>();
  #version = -1;

  /** `version`: of the commit that is seen. */
  find(version: number, query: TreeQuery): TreeResult | undefined {
    if (version !== this.#version) this.#answers.clear();
    this.#version = version;
    return this.#answers.get(keyOf(query));
  }

  /** A complete answer to the question that `find` did not know. */
  remember(query: TreeQuery, result: TreeResult): void {
    this.#answers.set(keyOf(query), result);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= REMEMBERED) return;
      this.#answers.delete(oldest);
    }
  }
}

/** A complete answer does not depend on the time there was for it. */
function keyOf(query: TreeQuery): string {
  return JSON.stringify({ ...query, deadlineMs: 0 });
}
