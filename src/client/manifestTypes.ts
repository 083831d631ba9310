/** The generated manifest's shape; src/client/manifest.json is written by `npm run generate`. */
export interface Manifest {
  readonly version: string;
  /** Result of a 2025 `initialize`, without the revision agreed on. */
  readonly initialize: JsonObject;
  /** 2025 revisions, newest first. */
  readonly legacyVersions: readonly string[];
  readonly modernVersions: readonly string[];
  /** Result of `server/discover`, for clients of the 2026 revision. */
  readonly discover: JsonObject;
  /** Result of `tools/list` in both eras; the 2026 revision adds `modernExtras`. */
  readonly toolList: JsonObject;
  /** Output schema of each tool, listed where answers carry their structured form. */
  readonly outputSchemas: Readonly<Record<string, JsonObject>>;
  readonly modernExtras: JsonObject;
  readonly commands: readonly CliCommand[];
  /** Exit status of a refused command, by kind of error. */
  readonly exitStatus: Readonly<Record<string, number>>;
  /** Kind and usual next step of each error code. */
  readonly errors: Readonly<Record<string, { readonly kind: string; readonly hint: string }>>;
}

export interface JsonObject {
  readonly [key: string]: unknown;
}

/** A tool as a command. */
export interface CliCommand {
  readonly command: string;
  readonly tool: string;
  readonly title: string;
  readonly rest: { readonly first: string; readonly others: string } | null;
  readonly verbs: Readonly<Record<string, CliVerb>>;
  /** Parameter a bare word fills where no verb takes it. */
  readonly word: string | null;
  readonly shorthand: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
  /** The command fails when this member of its answer is there and not this value. */
  readonly succeeds: { readonly member: string; readonly value: string } | null;
  /** The parameter that chooses the variant, and its value when it is not given. */
  readonly variant: { readonly key: string; readonly usual: string | null } | null;
  readonly parameters: readonly CliParameter[];
  /** Parameters that must be given. */
  readonly required: readonly string[];
  readonly examples: readonly string[];
}

export type CliVerb =
  /** The verb is the value of this parameter. */
  | { readonly set: string; readonly word?: string }
  /** The words after it fill this list. */
  | { readonly list: string };

/**
 * `text` a word · `number` · `flag` no value · `texts`, `numbers` may be repeated · `scalar` number,
 * true, false, null or text · `pairs` NAME=VALUE, repeated · `json` a JSON value (repeated for a
 * list) · `members` an object by its members (`--name.member`) or as JSON
 */
export type CliKind =
  'text' | 'number' | 'flag' | 'texts' | 'scalar' | 'pairs' | 'json' | 'jsonList' | 'members';

export interface CliParameter {
  readonly name: string;
  /** Without dashes: `sort-by`. */
  readonly flag: string;
  readonly kind: CliKind;
  readonly choices: readonly string[];
  readonly members: readonly CliParameter[];
  /** Variants that have it; empty: all. */
  readonly variants: readonly string[];
  readonly meaning: string;
}
