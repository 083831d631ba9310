import type { FunctionContext } from './functionContext.ts';
import { keyPlaceholder } from '../../model/rewriting/rewrittenModule.ts';

/** What the texts around the code of a function depend on. */
interface BodyFacts {
  readonly values: readonly string[];
  readonly refusal: string | null;
  /** The hooks are taken in it. */
  readonly hasPrelude: boolean;
  /** It is an expression with functions or classes in it. */
  readonly holdsFunctions: boolean;
  readonly isBlock: boolean;
  /** Its last statement leaves it. */
  readonly isNeverLeft: boolean;
}

interface AroundBody {
  readonly brace: string;
  readonly head: string;
  readonly tail: string;
}

/**
 * The code that is put into a module. Its names begin with a prefix that the module does not hold:
 *
 *   F  flags, one byte per function          h  the recorded call, 0: it is not recorded
 *   E  enter   X  exit   K  raise            r  its result; F: none yet, or an exception left it;
 *   C  handled A  awaits Y  yields               E: it ended while it was suspended
 *   R  resumes V  gives its argument back    q  the result, while a finally block runs
 *   P  fields                                e  what a catch clause without a name caught
 *   B  breakpoint                            S  a byte per breakpoint
 *                                            o  an object of a class
 */
export class InsertedTexts {
  readonly #prefix: string;

  constructor(text: string) {
    this.#prefix = freePrefix(text);
  }

  /**
   * Hooks are functions, as those are there before a module in a circle of imports is run. `variables`: of the module,
   * which `$strobe` gets a reader for. `hasProbes`: breakpoints are written into it.
   */
  prelude(isModule: boolean, variables: readonly string[], hasProbes: boolean): string {
    const p = this.#prefix;
    const hooks = `{flags:${p}F,enter:${p}E,exit:${p}X,raise:${p}K,handled:${p}C,awaits:${p}A,yields:${p}Y,resumes:${p}R,fields:${p}P${hasProbes ? `,probe:${p}B,probes:${p}S` : ''}}`;
    const given = ['K', 'A', 'Y', 'R']
      .map((hook) => `function ${p}${hook}(h,v){return v}`)
      .join('');
    const fallbacks = `function ${p}E(){return 0}function ${p}X(){}function ${p}C(){}function ${p}P(){}${given}function ${p}V(v){return v}`;
    const cases = variables.map((name, i) => `case ${i}:return ${name};`).join('');
    const reader = cases === '' ? '' : `,${p}n=>{switch(${p}n){${cases}}}`;
    const taken = `(${hooks}=$strobe(${keyPlaceholder}${reader}));`;
    const written = hasProbes ? `var ${p}B,${p}S;` : '';
    return `${fallbacks}var ${p}F;${written}${isModule ? '' : `if(typeof $strobe==='function')`}${taken}`;
  }

  /** Calls a breakpoint: what it reads is read in its scope, where and when it asks. */
  probe(index: number, names: readonly (string | null)[]): string {
    const p = this.#prefix;
    const cases = names.flatMap((name, i) => (name === null ? [] : [`case ${i}:return ${name};`]));
    const reader = `${p}n=>{switch(${p}n){${cases.join('')}default:return ${p}B}}`;
    return `${p}S!==void 0&&${p}S[${index}]!==0&&${p}B(${index},${reader})`;
  }

  /** In a class: only code in it can read its private fields, which come to be in this order. */
  privateFields(names: readonly string[]): string {
    const p = this.#prefix;
    const values = names.map((name) => `${p}o.${name}`).join(',');
    const reader = `${p}o=>${names.at(-1)} in ${p}o?[${values}]:void 0`;
    return `;static{${p}P(this,${JSON.stringify(names)},${reader})}`;
  }

  /** What stands before and behind the code of a function: a brace, the head and the tail. */
  around({ index, endResult }: FunctionContext, body: BodyFacts): AroundBody {
    const { values, refusal, holdsFunctions, isBlock } = body;
    if (refusal !== null)
      return body.hasPrelude && !isBlock
        ? { brace: '{', head: 'return (', tail: ')}' }
        : { brace: '', head: '', tail: '' };
    const head = this.#head(index, values);
    if (isBlock) {
      const end = body.isNeverLeft ? '' : `;${this.result(endResult)}`;
      return { brace: '', head, tail: `${end}${this.#tail()}` };
    }
    return {
      brace: '{',
      head: `${head}return${this.openResult(holdsFunctions)}`,
      tail: `${this.closeResult(holdsFunctions)}${this.#tail()}}`,
    };
  }

  #head(index: number, values: readonly string[]): string {
    const p = this.#prefix;
    const enter = `${p}E(${[index, ...values].join(',')})`;
    const handle = `${p}F!==void 0&&${p}F[${index}]!==0?${enter}:0`;
    return `let ${p}h=${handle},${p}r=${p}F;try{`;
  }

  #tail(): string {
    const p = this.#prefix;
    const exit = `${p}X(${p}h,${p}r)`;
    return `}finally{if(${p}h!==0)${exit}}`;
  }

  /** Sets the result where no expression gives one. */
  result(value: string): string {
    return ` ${this.#prefix}r=${value}`;
  }

  /** `holdsFunctions`: they would get the name of the result if they were assigned to it. */
  openResult(holdsFunctions: boolean): string {
    const p = this.#prefix;
    return ` ${p}r=${holdsFunctions ? `${p}V(` : ''}(`;
  }

  closeResult(holdsFunctions: boolean): string {
    return holdsFunctions ? '))' : ')';
  }

  openRaise(): string {
    return ` ${this.#prefix}K(${this.#prefix}h,(`;
  }

  openAwait(): string {
    return ` ${this.#prefix}A(${this.#prefix}h,(`;
  }

  openYield(): string {
    return ` ${this.#prefix}Y(${this.#prefix}h,(`;
  }

  closeYield(): string {
    return `),${this.#prefix}r=${this.#prefix}E)`;
  }

  suspends(): string {
    return `${this.#prefix}A(${this.#prefix}h);`;
  }

  openResume(): string {
    return `${this.#prefix}R(${this.#prefix}h,`;
  }

  closeResume(isYield: boolean): string {
    return isYield ? `,${this.#prefix}r=${this.#prefix}F)` : ')';
  }

  resumes(): string {
    return `${this.#prefix}R(${this.#prefix}h);`;
  }

  caughtName(): string {
    return `${this.#prefix}e`;
  }

  /** `name`: of what was caught; null where it is taken apart. */
  handled(name: string | null): string {
    const p = this.#prefix;
    return name === null ? `${this.resumes()}${p}r=${p}F;` : `${p}C(${p}h,${name},${p}r=${p}F);`;
  }

  openFinally(mayWait: boolean): string {
    const p = this.#prefix;
    return `let ${p}q=${p}r;${p}r=${p}F;${mayWait ? this.resumes() : ''}`;
  }

  closeFinally(): string {
    return `;${this.#prefix}r=${this.#prefix}q;`;
  }
}

function freePrefix(text: string): string {
  let prefix = '$s_';
  for (let n = 0; text.includes(prefix); n++) prefix = `$s${n}_`;
  return prefix;
}
