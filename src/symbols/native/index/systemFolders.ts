const systemFolders =
  /^\/(?:usr\/)?(?:lib|lib32|lib64|libx32|libexec)\/|^\/usr\/local\/lib\/|^\/nix\/store\/|^\/snap\//;

/** Where distributions put libraries. */
export function isInSystemFolder(path: string): boolean {
  return systemFolders.test(path);
}
