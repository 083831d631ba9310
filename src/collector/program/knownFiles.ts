import { statSync } from 'node:fs';

const MOST_KNOWN = 1000;

/**
 * What is read of the files of programs, once of each as it is: all processes that come and go are asked for it. A file
 * is looked at in this thread, as handing it to another one takes several times as long.
 */
export class KnownFiles<T> {
  readonly #known = new Map<string, Promise<T>>();

  /** Null: there is no such file. `about`: what is asked of it, where that differs. What `read` fails with is not kept. */
  of(path: string, read: () => Promise<T>, about = ''): Promise<T> | null {
    const found = foundAt(path);
    if (found === null) return null;
    const key = `${found} ${about}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const made = read();
    this.#known.set(key, made);
    made.catch(() => this.#known.delete(key));
    return made;
  }
}

function foundAt(path: string): string | null {
  try {
    const { dev, ino, ctimeMs } = statSync(path);
    return `${dev}.${ino}.${ctimeMs}`;
  } catch {
    return null;
  }
}
