import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { StrobeError } from '../../model/errors.ts';
import type { SessionTracing } from '../tracing/tracing.ts';
import type { DapArguments } from './arguments.ts';

/* What an editor asks about source files before anything stops in them. */

/** Lines at which a breakpoint can be, as lines that begin at 1. Throws BAD_PARAMETER. */
export async function breakpointLines(
  { symbols, loaded }: SessionTracing,
  { source: { path }, line, endLine = line }: DapArguments<'breakpointLocations'>,
  firstLine: number,
): Promise<readonly number[]> {
  if (path === undefined)
    throw new StrobeError('BAD_PARAMETER', 'Places of breakpoints need the path of a file.');
  const [from, to] = [line, endLine].map((one) => one + 1 - firstLine);
  const lines = await symbols.statementLines(loaded, path);
  return lines.filter((one) => one >= (from ?? one) && one <= (to ?? one));
}

/** The source files of the project's own code that is loaded. */
export async function loadedSources({
  symbols,
  loaded,
}: SessionTracing): Promise<DebugProtocol.Source[]> {
  const paths = await symbols.sources(loaded);
  return paths.map((path) => ({ name: basename(path), path }));
}
