/** RTLD_NOW | RTLD_NODELETE: threads may be inside its code for as long as the process lives. */
const openFlags = 0x1002;

/** A library of ours in the process. */
export interface OwnLibrary {
  /** A function that it exports. */
  entry(name: string): NativePointer;
}

/** Loads a library of ours; throws when the dynamic loader refuses. */
export function openLibrary(path: string): OwnLibrary {
  const open = new NativeFunction(symbol('dlopen'), 'pointer', ['pointer', 'int']);
  if (open(Memory.allocUtf8String(path), openFlags).isNull()) {
    throw new Error(`${path} cannot be loaded: ${openingError()}`);
  }
  // By its name the loader finds a library again whose file was replaced since.
  const library = Process.findModuleByName(path);
  if (library === null) {
    throw new Error(
      'the process holds the engine of an earlier build of Strobe, which traced it before: start the program again',
    );
  }
  // All at once: dlsym() would wait while another thread of the program is in dlopen().
  const entries = new Map(library.enumerateExports().map((one) => [one.name, one.address]));
  return {
    entry(name) {
      const address = entries.get(name);
      if (address === undefined) throw new Error(`${path} has no ${name}`);
      return address;
    },
  };
}

function symbol(name: string): NativePointer {
  return Module.getGlobalExportByName(name);
}

function openingError(): string {
  const read = new NativeFunction(symbol('dlerror'), 'pointer', []);
  return read().readUtf8String() ?? 'unknown reason';
}
