import { commandHelp, exitMeanings, overview } from '../help.ts';
import type { Manifest } from '../manifestTypes.ts';
import { runUsage } from '../run/runOptions.ts';

/** The manual page of all commands in man(7), from the same declarations as the helps. */
export function manPage(manifest: Manifest): string {
  const [, ...teaching] = overview(manifest).split('\n\n');
  const pages = manifest.commands.map((command) => [
    `strobe ${command.command}`,
    commandHelp(command),
  ]);
  return [
    `.TH STROBE 1 "" "strobe ${manifest.version}" "User Commands"`,
    '.SH NAME',
    'strobe \\- see what a program really does, without touching its source',
    '.SH SYNOPSIS',
    '.B strobe',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    verbatim(teaching.slice(0, -1).join('\n\n')),
    '.SH STROBE RUN',
    verbatim(runUsage),
    ...pages.flatMap(([title = '', text = '']) => [`.SH ${title.toUpperCase()}`, verbatim(text)]),
    '.SH EXIT STATUS',
    verbatim(
      exitMeanings(manifest.exitStatus)
        .map(([status, meaning]) => `${status}  ${meaning}`)
        .join('\n'),
    ),
    '.SH FILES',
    verbatim(
      '~/.strobe                 sessions, settings and the daemon\u2019s socket; STROBE_HOME names another',
    ),
    '',
  ].join('\n');
}

/** Lines as they are. */
function verbatim(text: string): string {
  const safe = text
    .trimEnd()
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');
  return `.nf\n${safe}\n.fi`;
}
