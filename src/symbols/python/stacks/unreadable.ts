/** Something is not where it should be: it changed while it was read, or was never there. */
export class Unreadable extends Error {}

/** What `read` gives; `otherwise` where that cannot be read. */
export function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return otherwise;
    throw error;
  }
}
