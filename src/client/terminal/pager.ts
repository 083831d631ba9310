import { feedTerminal } from '../../base/process.ts';

/**
 * Shows a text on a terminal of `rows` lines: what is longer goes through the person's pager (PAGER; less, which stays
 * out of the way for what is short). False: there is none.
 */
export async function showPaged(
  text: string,
  rows: number,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const { PAGER: pager = 'less', LESS: options = 'FRX' } = env;
  const lines = text.split('\n').length;
  // A terminal without a size has nobody before it.
  if (pager === '' || pager === 'cat' || rows === 0 || lines <= rows) return false;
  const command = { command: 'sh', args: ['-c', pager], env: { ...env, LESS: options } };
  return await feedTerminal(command, text);
}
