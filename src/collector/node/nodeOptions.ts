/** Options of Node that take the next word (node --help). */
const takeNext = new Set(
  '-e --eval -p --print -pe -r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --title --allow-fs-read --allow-fs-write --test-reporter --test-reporter-destination --test-name-pattern --test-skip-pattern --watch-path --input-type'.split(
    ' ',
  ),
);

/** The words of a command line behind `node` that are its own, and where the script is; -1: there is none. */
export function ownOptions(words: readonly string[]): {
  readonly options: readonly string[];
  readonly script: number;
} {
  const script = words.findIndex(
    (word, at) => !word.startsWith('-') && !takeNext.has(words[at - 1] ?? ''),
  );
  return { options: script < 0 ? words : words.slice(0, script), script };
}
