import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StopView } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import { StrobeError } from '../../model/errors.ts';
import type { Value } from '../../model/questions/query.ts';
import { placeValue, setPlace } from '../stops/placeValues.ts';
import type { SessionStops } from '../stops/sessionStops.ts';
import type { DapArguments } from './arguments.ts';
import { watchable } from './editorMemory.ts';
import { Handles, type StoppedFrame } from './handles.ts';
import { frameBody, scopesOf } from './shownFrames.ts';
import { page, valueAt, valueOf, type Unfolded } from './unfolding.ts';

/** Of a container that is evaluated. */
const shownElements = 100;

/** What an editor sees where threads stand: frames, scopes, values, and what it sets there. */
export class EditorValues {
  readonly #stops: () => SessionStops;
  readonly #frames = new Handles<StoppedFrame>();
  readonly #values = new Handles<Unfolded>();

  /** `stops` throws NO_SESSION. */
  constructor(stops: () => SessionStops) {
    this.#stops = stops;
  }

  /** A stop was left: what was handed out for it is stale. */
  drop(stop: string): void {
    this.#frames.drop(stop);
    this.#values.drop(stop);
  }

  /** `first`: the editor's number of the first line and column. */
  stack(
    { id: stop }: StopView,
    frames: readonly StackFrame[],
    { startFrame, levels }: DapArguments<'stackTrace'>,
    first: { readonly line: number; readonly column: number },
  ): DebugProtocol.StackTraceResponse['body'] {
    const end = levels === 0 ? frames.length : startFrame + levels;
    const stackFrames = frames.slice(startFrame, end).map((frame, i) => {
      const id = this.#frames.add(
        frame.task
          ? { stop, frame: frame.task.frame, task: { ...frame.task, shown: frame } }
          : { stop, frame: startFrame + i },
      );
      return frameBody(frame, id, first);
    });
    return { stackFrames, totalFrames: frames.length };
  }

  /** As the variables are now. */
  async scopes({ frameId }: DapArguments<'scopes'>): Promise<DebugProtocol.ScopesResponse['body']> {
    const at = this.#frameAt(frameId);
    if (!at.task) await this.#stops().read(at.stop, at.frame);
    const { thread } = this.#standing(at);
    return { scopes: scopesOf(this.#frame(at), thread.registers, this.#values, at) };
  }

  async variables({
    variablesReference,
    ...range
  }: DapArguments<'variables'>): Promise<DebugProtocol.VariablesResponse['body']> {
    const unfolded = this.#unfolded(variablesReference);
    const look = async (expression: string) =>
      placeValue(this.#stops().memory, unfolded, expression, shownElements);
    return { variables: await page(unfolded, range, this.#values, look) };
  }

  /** What no expression of the language names may still have been read with the stop, as an entry of a map. */
  async evaluate({
    expression,
    frameId,
  }: DapArguments<'evaluate'>): Promise<DebugProtocol.EvaluateResponse['body']> {
    const text = expression.trim();
    const at = this.#frameAt(frameId);
    const { variables } = this.#frame(at);
    const { value, type } = await placeValue(this.#stops().memory, at, text, shownElements).catch(
      (error: unknown) => {
        const known = valueAt(variables, text);
        if (known === null) throw error;
        return { value: known, type: null };
      },
    );
    const { value: result, ...body } = this.#valueBody(value, type, at, text);
    return { result, ...body };
  }

  async setExpression({
    expression,
    value,
    frameId,
  }: DapArguments<'setExpression'>): Promise<DebugProtocol.SetExpressionResponse['body']> {
    return await this.#set(this.#frameAt(frameId), expression.trim(), value);
  }

  /** Throws BAD_EXPRESSION for a value that no expression names, such as an entry of a map. */
  async setVariable({
    variablesReference,
    name,
    value,
  }: DapArguments<'setVariable'>): Promise<DebugProtocol.SetVariableResponse['body']> {
    const { inside, ...at } = this.#unfolded(variablesReference);
    if (inside.path === null)
      throw new StrobeError(
        'BAD_EXPRESSION',
        `No expression names ${name}.`,
        'Set it by an expression of its own: setExpression.',
      );
    return await this.#set(at, `${inside.path}${name}`, value);
  }

  /** Whether and how data can be stopped at, by name. */
  async watchable({
    name,
    variablesReference,
    frameId,
  }: DapArguments<'dataBreakpointInfo'>): Promise<
    DebugProtocol.DataBreakpointInfoResponse['body']
  > {
    const stops = this.#stops();
    if (variablesReference !== 0) {
      const { inside, stop, frame } = this.#unfolded(variablesReference);
      return await watchable(stops, { stop, frame }, `${inside.path ?? ''}${name}`);
    }
    const at = frameId === undefined ? null : this.#frameAt(frameId);
    const stop = stops.meantOrRunning(undefined)?.id ?? null;
    return await watchable(stops, at ?? { stop, frame: 0 }, name);
  }

  async #set(at: StoppedFrame, expression: string, value: string) {
    if (at.task)
      throw new StrobeError(
        'BAD_EXPRESSION',
        `${at.task.id} is suspended: its variables can be read, not set.`,
        'Set them where it runs.',
      );
    const { is } = await setPlace(this.#stops().memory, at, expression, value);
    return this.#valueBody(is.value, is.type, at, expression);
  }

  #valueBody(value: Value, type: string | null, at: StoppedFrame, expression: string) {
    const { evaluateName: _, ...body } = valueOf(value, this.#values, at, expression);
    return { ...body, ...(type === null ? {} : { type }) };
  }

  /** Throws NOT_STOPPED, STALE_STOP. */
  #frameAt(frameId: number | undefined): StoppedFrame {
    if (frameId === undefined)
      throw new StrobeError('NOT_STOPPED', 'Expressions are read in a frame of a stopped thread.');
    const at = this.#frames.get(frameId);
    if (!at) throw stale();
    return at;
  }

  #unfolded(variablesReference: number): Unfolded {
    const found = this.#values.get(variablesReference);
    if (!found) throw stale();
    return found;
  }

  #standing({ stop }: StoppedFrame): StopView {
    const found = this.#stops().held.find(({ id }) => id === stop);
    if (!found) throw stale();
    return found;
  }

  #frame(at: StoppedFrame): StackFrame {
    const { thread } = this.#standing(at);
    const frame = at.task?.shown ?? thread.frames[at.frame];
    if (!frame) throw stale();
    return frame;
  }
}

function stale(): StrobeError {
  return new StrobeError(
    'STALE_STOP',
    'Its thread runs on.',
    'Ask for its stack at the next stop.',
  );
}
