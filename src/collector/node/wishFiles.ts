import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file that says what is wanted, for as long as somebody reads it. */
interface WishFile extends Disposable {
  readonly path: string;
}

interface Written {
  readonly table: Buffer;
  readonly path: string;
  users: number;
}

/** What is wanted of the processes of one session, written once for all that want the same. */
export class WishFiles {
  #written = 0;
  #last: Written | null = null;

  /** `beside`: a file of the session's folder in which processes may read. */
  open(table: Buffer, beside: string): WishFile {
    const file =
      this.#last?.table.equals(table) === true ? this.#last : this.#write(table, dirname(beside));
    file.users++;
    return {
      path: file.path,
      [Symbol.dispose]: () => {
        file.users--;
        if (file !== this.#last) remove(file);
      },
    };
  }

  /** Processes have mapped what was there before: it gets another file. */
  #write(table: Buffer, folder: string): Written {
    const path = join(folder, `wishes.${process.pid}.${this.#written++}`);
    writeFileSync(path, table, { mode: 0o600 });
    const before = this.#last;
    this.#last = { table, path, users: 0 };
    if (before) remove(before);
    return this.#last;
  }
}

/** A process that has it mapped keeps it. */
function remove({ path, users }: Written): void {
  if (users === 0) rmSync(path, { force: true });
}
