import type { TaskHead } from '../endings/taskHead.ts';
import type { Value } from '../questions/query.ts';
import type { ScalarType } from '../values/scalarType.ts';
import type { Expression } from '../watches/expression.ts';

/** An expression that is to be evaluated where a frame of a stopped thread stands. */
export interface EvaluateRequest {
  /** As stacks number them. */
  readonly frame: number;
  /** Of this task, which is suspended; absent: of the thread. */
  readonly task?: TaskHead;
  readonly expression: Expression;
  /** Elements of a container that are wanted. */
  readonly elements: number;
}

/** Where a value lies that can be set. */
export type ValuePlace =
  | { readonly kind: 'memory'; readonly address: bigint }
  /** By its DWARF number, of the newest frame. */
  | { readonly kind: 'register'; readonly number: number }
  /** What the language assigns to. */
  | { readonly kind: 'named' };

/** A value, and where it lies. */
export interface PlaceValue {
  readonly value: Value;
  /** As the source spells it; null: it was computed. */
  readonly type: string | null;
  /** Null: it lies nowhere, or in parts. */
  readonly place: ValuePlace | null;
  readonly bytes: number;
  /** Null: it is no number, or its place is in bits. */
  readonly scalar: ScalarType | null;
  readonly why?: undefined;
}

/** What an expression came to; `why`: a clause. */
export type Evaluated = PlaceValue | { readonly why: string };

/** What running a text of the language came to. */
export type Ran =
  /** An expression. */
  | { readonly kind: 'value'; readonly value: Value }
  /** A line of a console, with what it printed. */
  | { readonly kind: 'printed'; readonly text: string }
  /** Statements. `lost`: names they set that the frame has no variable for. */
  | { readonly kind: 'done'; readonly lost: readonly string[] }
  | { readonly kind: 'raised'; readonly text: string };
