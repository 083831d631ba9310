import type { WantedProbe } from '../../collector/wantedProbe.ts';
import { listedText, type PatternRequest } from './patternRequest.ts';

/** What patterns ask inside their functions. It comes and goes with them; ids stay the same for the life of a session. */
export class PatternProbes {
  readonly #ids = new Map<string, string>();

  of(requests: readonly PatternRequest[]): WantedProbe[] {
    return requests.flatMap((request) => {
      const { asked, pattern, invariant } = request;
      const text = listedText(request);
      const rest = { pattern, condition: null, values: [] };
      const simple = { values: [], isEnabled: true };
      const found: WantedProbe[] = [];
      if (invariant !== null)
        found.push({
          ...rest,
          id: this.#id('i', `${text}\0${asked.invariant}`),
          request: {
            ...simple,
            where: { kind: 'return', pattern: text },
            invariant: asked.invariant,
            locals: false,
          },
          invariant,
        });
      if (asked.lines === true)
        found.push({
          ...rest,
          id: this.#id('l', text),
          request: { ...simple, where: { kind: 'lines', pattern: text }, locals: true },
          invariant: null,
        });
      return found;
    });
  }

  /** `kind`: its first letter. */
  #id(kind: 'i' | 'l', key: string): string {
    const known = this.#ids.get(`${kind}${key}`);
    const count = [...this.#ids.values()].filter((one) => one.startsWith(kind)).length;
    const id = known ?? `${kind}${count + 1}`;
    this.#ids.set(`${kind}${key}`, id);
    return id;
  }
}
