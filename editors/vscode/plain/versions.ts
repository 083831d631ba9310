/** What a person reads about a strobe of another version than the extension's; null: nothing. */
export function versionNote(extension: string, strobe: string): string | null {
  if (strobe === '' || strobe === extension) return null;
  return `This extension is version ${extension} and strobe is version ${strobe}: what both know works. Install the same version of both.`;
}
