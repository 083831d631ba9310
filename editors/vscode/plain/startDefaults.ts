/** A way to start that needs no launch.json: members of a debug configuration. */
export interface StartDefault {
  readonly program: string;
  readonly args?: readonly string[];
}

/** Chosen by the person among the programs of the folder, as a command of a debug configuration. */
const chosenProgram = '${command:strobe.pickProgram}';

/** By the language of the file that is open, as VS Code names languages. */
const byLanguage: Readonly<Record<string, StartDefault>> = {
  c: { program: chosenProgram },
  cpp: { program: chosenProgram },
  rust: { program: chosenProgram },
  go: { program: chosenProgram },
  python: { program: 'python3', args: ['${file}'] },
  javascript: { program: 'node', args: ['${file}'] },
  typescript: { program: 'node', args: ['${file}'] },
};

/** The languages a program can be written in. */
export const languages: readonly string[] = Object.keys(byLanguage);

/** How the program of an open file is started; without a file, one is chosen. */
export function startDefault(language: string | undefined): StartDefault {
  return (language === undefined ? undefined : byLanguage[language]) ?? { program: chosenProgram };
}
