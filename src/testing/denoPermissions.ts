import type { ProjectFiles } from './projectFiles.ts';

const settings = ['deno.json', 'deno.jsonc', 'package.json'];
const testCommand = /\bdeno(?:\s+task)?\s+test\b([^"&|;]*)/g;
const permission = /^(?:-[A-Z]+|--(?:allow|deny|ignore|permission)-[a-z]+)(?:=\S*)?$/;
const testSettings = /"test"\s*:\s*\{[^{}]*"permissions"\s*:/;

/** Options of the project's own `deno test` that permit its tests something; else what its settings permit them. */
export function denoPermissions(project: ProjectFiles): string[] {
  const texts = settings.map((name) => project.text(name));
  for (const text of texts) {
    for (const [, words = ''] of text.matchAll(testCommand)) {
      const found = words.split(/\s+/).filter((word) => permission.test(word));
      if (found.length > 0) return found;
    }
  }
  return texts.some((text) => testSettings.test(text)) ? ['-P'] : [];
}
