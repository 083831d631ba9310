import { monotonicMs } from '../base/clock.ts';
import { installPaths } from '../base/installPaths.ts';
import { estimateTokens } from '../base/tokenEstimate.ts';
import { depotStory } from './demo/depotStory.ts';
import { ledgerStory } from './demo/ledgerStory.ts';
import { parcelsStory } from './demo/parcelsStory.ts';
import { ranksStory } from './demo/ranksStory.ts';
import type { Ask, Story, Verdict } from './demo/story.ts';
import { ticketsStory } from './demo/ticketsStory.ts';
import { tillStory } from './demo/tillStory.ts';
import { ToolCaller } from './demo/toolCaller.ts';

/** By the word after `strobe demo`; without one, the first. */
const stories = new Map<string, Story>([
  ['native', ledgerStory],
  ['python', parcelsStory],
  ['node', ticketsStory],
  ['go', depotStory],
  ['debug', ranksStory],
  ['ui', tillStory],
]);
export const demoNames: readonly string[] = [...stories.keys()];

export interface DemoOptions {
  /** One of `demoNames`. */
  readonly name: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The story: standard output. */
  readonly write: (text: string) => void;
  /** What takes time: standard error. */
  readonly progress: (text: string) => void;
}

/**
 * `strobe demo`: runs a program of demo/, finds its bug through the real proxy and daemon, and
 * prints every request and answer with its tokens. Returns the exit status: 0 when the answers
 * showed the cause.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const started = monotonicMs();
  const paths = installPaths();
  const { write, progress } = options;
  const story = stories.get(options.name ?? '') ?? ledgerStory;
  try {
    const proxy = {
      command: process.execPath,
      args: [paths.client, 'mcp', '--structured'],
      cwd: paths.root,
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
    const verdict = await story.find(ask, tell);
    const seconds = ((monotonicMs() - started) / 1000).toFixed(1);
    write(
      `${conclusion(verdict, story)}\n${sum.requests} requests, ≈ ${sum.tokens} tokens, ${seconds} s\n`,
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

function conclusion(verdict: Verdict, { cause }: Story): string {
  if (!verdict.found) return `Not found: ${verdict.reason}.`;
  return `WHY  ${verdict.line}\nbut  ${verdict.contrast}\n${cause}`;
}
