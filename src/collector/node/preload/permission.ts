import { isDeno } from './readers/mapReaders.ts';

interface DenoPermissions {
  readonly permissions: {
    querySync(asked: { readonly name: string; readonly path?: string }): { readonly state: string };
  };
}

/** Whether the addon may be loaded. Deno is never made to ask its user for what its program was not permitted. */
export function isPermitted(addonPath: string): boolean {
  if (!isDeno) return true;
  const { permissions } = (globalThis as unknown as { Deno: DenoPermissions }).Deno;
  const isGranted = (name: string, path?: string): boolean =>
    permissions.querySync({ name, ...(path === undefined ? {} : { path }) }).state === 'granted';
  return isGranted('ffi', addonPath) && isGranted('env') && isGranted('read', '/proc');
}
