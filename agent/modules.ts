import type { LoadedModule } from '../src/protocol/agent.ts';

/** A module as the contract shows it. */
function describeModule(module: Module): LoadedModule {
  return {
    path: module.path,
    name: module.name,
    base: module.base.toString(),
    size: module.size,
  };
}

const bases = new Map<string, NativePointer>();

/** Where a loaded module begins. Unlike a look at Frida's list of modules it is answered while one is being loaded. */
export function baseOf(path: string): NativePointer | null {
  return bases.get(path) ?? null;
}

/** All modules loaded now, our own injected ones too: the host knows which are the target's. */
export function loadedModules(): LoadedModule[] {
  return Process.enumerateModules().map(describeModule);
}

/** Tells of every module that comes or goes from now on; those loaded before are not repeated. */
export function watchModules(
  onAdded: (module: LoadedModule) => void,
  onRemoved: (path: string) => void,
): void {
  let isReplaying = true;
  Process.attachModuleObserver({
    onAdded(module) {
      bases.set(module.path, module.base);
      if (!isReplaying) onAdded(describeModule(module));
    },
    onRemoved(module) {
      bases.delete(module.path);
      onRemoved(module.path);
    },
  });
  isReplaying = false;
}
