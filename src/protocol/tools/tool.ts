import type { z } from 'zod';

/** How a tool is spelled on the command line; the flags are derived from its input schema. */
export interface CliMapping {
  /** The word after `strobe`. */
  readonly command: string;
  /** A command for one variant alone: only its parameters are options. */
  readonly variant?: string;
  /** What the command does, when that is not the tool's title. */
  readonly title?: string;
  /** Options that are not called like their parameter. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Everything after `--`: the first word goes to one parameter, the others to a list. */
  readonly rest?: { readonly first: string; readonly others: string };
  /** Words that stand for themselves: `trace add P…` fills the list `add`; `word`: as below, after this verb. */
  readonly verbs?: Readonly<
    Record<string, { readonly list: string } | { readonly set: string; readonly word?: string }>
  >;
  /** A bare word that no verb takes means this parameter. */
  readonly word?: string;
  /** A bare text for an object parameter means this member of it: `--function 'a::*'`. */
  readonly shorthand?: Readonly<Record<string, string>>;
  /** Filled in when the command line does not give them; `projectRoot` is looked for. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** The command fails (status 1) when this member of its answer is there and not this value. */
  readonly succeeds?: { readonly member: string; readonly value: string };
  /** Command lines for the help, without the leading `strobe`. */
  readonly examples: readonly string[];
}

/** What tells the variants of a tool's input apart. */
export type VariantChoice =
  /** A parameter that names the variant, and the one meant when it is absent. */
  | {
      readonly key: string;
      readonly default?: string;
      /** By a name that is none of its variants: the call that does it. */
      readonly elsewhere?: Readonly<Record<string, string>>;
    }
  /** By variant, in their order: a required parameter which only that one has. */
  | { readonly by: Readonly<Record<string, string>> };

/** One tool: the MCP tool, the command and the page of documentation are derived from it. */
export interface ToolContract<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly title: string;
  /** Under 2 KB, with one example. */
  readonly description: string;
  /** Strict: an unknown key is an error. */
  readonly input: Input;
  readonly variant?: VariantChoice;
  /** Parameters whose variants the description names already. */
  readonly variantsTold?: readonly string[];
  readonly output: Output;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly cli: CliMapping | readonly CliMapping[];
}

/** Checks the shape of a contract and keeps its exact types. */
export function defineTool<
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(contract: ToolContract<Name, Input, Output>): ToolContract<Name, Input, Output> {
  return contract;
}
