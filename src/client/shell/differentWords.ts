import { ClientError } from '../clientError.ts';

/** Why a debugger's command or option is not one of Strobe's, and the command line that serves instead. */
interface Difference {
  readonly why: string;
  readonly instead: string;
}

const noChosenFrame: Difference = {
  why: 'Several clients look at one stop, so none chooses a frame for the others.',
  instead: 'strobe locals --frame 1',
};
const filesAreThere: Difference = {
  why: 'A stop shows three lines of source; an editor shows the rest of the file.',
  instead: 'strobe where',
};
const withBreakpoints: Difference = {
  why: 'Who stops a program is chosen with its breakpoints, and stays for the session.',
  instead: 'strobe break add main --adapter gdb',
};
const stored: Difference = {
  why: 'Output is stored with its session, and none of it is dropped.',
  instead: 'strobe session wait --for output',
};

const commands: Readonly<Record<string, Difference>> = {
  up: noChosenFrame,
  down: { ...noChosenFrame, instead: 'strobe locals --frame 0' },
  source: filesAreThere,
  list: filesAreThere,
  config: {
    why: 'Settings are files and variables of the environment; docs/settings.md lists them.',
    instead: 'strobe doctor',
  },
};

const options: Readonly<Record<string, Readonly<Record<string, Difference>>>> = {
  start: { '--adapter': withBreakpoints },
  attach: { '--adapter': withBreakpoints },
  where: { '--context': filesAreThere },
  bt: {
    '--locals': {
      why: 'A stack shows the arguments of the newest frames; one frame is shown with its locals.',
      instead: 'strobe locals --frame 1',
    },
    '--limit': { why: 'A stack is folded to the budget of its answer.', instead: 'strobe bt' },
  },
  print: {
    '--format': {
      why: 'A value is shown as its type says; its bytes are read as memory, in hexadecimal.',
      instead: "strobe memory read '&counter' --count 8",
    },
  },
  output: { '--follow': stored, '--clear': { ...stored, instead: 'strobe output --tail 20' } },
};

const oneThread: Difference = {
  why: 'A breakpoint stops one thread while the others run. "strobe continue --stop ID" lets one thread go and leaves the other stops; the ids are in:',
  instead: 'strobe threads',
};
const whereAFrameStands: Difference = {
  why: 'Instructions are shown around where a frame stands.',
  instead: 'strobe disassemble --frame 1',
};

/** Throws UNKNOWN_PARAMETER for a debugger's command or option that is different here, with the reason. */
export function checkDifferent(command: string, rest: readonly string[]): void {
  const own = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (own) throw different(command, own);
  const behind = rest.indexOf('--');
  const words = behind < 0 ? rest : rest.slice(0, behind);
  const known = Object.hasOwn(options, command) ? options[command] : undefined;
  for (const [option, difference] of Object.entries(known ?? {}))
    if (words.some((word) => word === option || word.startsWith(`${option}=`)))
      throw different(`${command} ${option}`, difference);
  if (command === 'continue' && words.at(-1) === '--thread')
    throw different('continue --thread', oneThread);
  if (command === 'disassemble' && words[0]?.startsWith('0x') === true)
    throw different('disassemble ADDRESS', whereAFrameStands);
}

function different(what: string, { why, instead }: Difference): ClientError {
  return new ClientError('UNKNOWN_PARAMETER', `strobe has no "${what}": ${why}`, instead);
}
