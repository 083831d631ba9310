import type { WantedProbe } from '../../collector/tracer.ts';
import { listedText, type PatternRequest } from './patternRequest.ts';

/** What patterns ask inside their functions. It comes and goes with them; ids stay the same for the life of a session. */
export class PatternProbes {
  readonly #ids = new Map<string, string>();

  of(requests: readonly PatternRequest[]): WantedProbe[] {
    return requests.flatMap((request) => this.#invariant(request));
  }

  #invariant(request: PatternRequest): WantedProbe[] {
    const { asked, pattern, invariant } = request;
    if (invariant === null) return [];
    return [
      {
        id: this.#id(`${listedText(request)}\0${asked.invariant}`),
        request: {
          where: { kind: 'return', pattern: listedText(request) },
          invariant: asked.invariant,
          values: [],
          locals: false,
          isEnabled: true,
        },
        pattern,
        condition: null,
        invariant,
        values: [],
      },
    ];
  }

  #id(key: string): string {
    const id = this.#ids.get(key) ?? `i${this.#ids.size + 1}`;
    this.#ids.set(key, id);
    return id;
  }
}
