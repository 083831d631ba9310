import { monotonicMs } from '../base/clock.ts';
import { installPaths } from '../base/installPaths.ts';
import { estimateTokens } from '../base/tokenEstimate.ts';
import { findTheBug, type Ask, type Verdict } from './demo/story.ts';
import { ToolCaller } from './demo/toolCaller.ts';

export interface DemoOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The story: standard output. */
  readonly write: (text: string) => void;
  /** What takes time: standard error. */
  readonly progress: (text: string) => void;
}

/**
 * `strobe demo`: runs the program of demo/ledger, finds its bug through the real proxy and
 * daemon, and prints every request and answer with its tokens. Returns the exit status: 0 when
 * the answers showed the cause.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const started = monotonicMs();
  const paths = installPaths();
  const project = paths.ledgerProject;
  const { write, progress } = options;
  try {
    const proxy = {
      command: process.execPath,
      args: [paths.client, 'mcp', '--structured'],
      cwd: project,
      env: options.env,
    };
    await using caller = await ToolCaller.start(proxy, (said) => progress(`  … ${said}\n`));
    const sum = { requests: 0, tokens: 0 };
    const ask: Ask = async (tool, args) => {
      const request = `${tool} ${JSON.stringify(args)}`;
      write(`→ ${request}  [≈ ${aboutTokens(request)} tokens]\n`);
      const asked = monotonicMs();
      const answer = await caller.call(tool, args);
      const took = Math.round(monotonicMs() - asked);
      const tokens = aboutTokens(answer.text);
      sum.requests += 1;
      sum.tokens += aboutTokens(request) + tokens;
      const twin = aboutTokens(JSON.stringify(answer.structured ?? null));
      write(
        `← [≈ ${tokens} tokens as text, ${twin} as JSON, ${took} ms]\n${indented(answer.text)}\n\n`,
      );
      if (answer.isError) throw new Error(`${tool} was refused.`);
      return answer;
    };
    let chapter = 0;
    const tell = (title: string): void => {
      chapter += 1;
      write(`── ${chapter}  ${title}\n`);
    };
    const verdict = await findTheBug(paths.ledger, project, ask, tell);
    const seconds = ((monotonicMs() - started) / 1000).toFixed(1);
    write(
      `${conclusion(verdict)}\n${sum.requests} requests, ≈ ${sum.tokens} tokens, ${seconds} s\n`,
    );
    return verdict.found ? 0 : 1;
  } catch (error) {
    progress(`strobe demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

function aboutTokens(text: string): number {
  return Math.round(estimateTokens(text));
}

function conclusion(verdict: Verdict): string {
  if (!verdict.found) return `Not found: ${verdict.reason}.`;
  return `WHY  ${verdict.line}
but  ${verdict.contrast}
Transfers are remembered for 45 ms: the agreement says 45 s, and demo/ledger/src/policy.cpp passes
that number on as milliseconds. A transfer whose answer is lost twice is then booked again.`;
}
