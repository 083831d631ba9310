/*
 * Requests of programs that are not ours: curl (HTTP/1.1 and HTTP/2 over TLS, plain), Python's http.client and urllib,
 * Node's https and http, Go's net/http as client and server, redis-cli, psql; pyserial on a port of channel `serial`; paplay and aplay
 * (tones of channel `audio`, and the silence after them), fluidsynth; xclip; mousepad's actions by its session bus. What channel `net` found (method, path, status, bytes) is what the server logged, nothing was
 * lost, and output is as untraced. `node proof/channels.proof.mjs 10000 plain`: so many requests of those whose names
 * hold the word.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { channelPrograms, pythonSerial } from '../scripts/channelPrograms.mjs';
import { goSource, noteA4, waveOf } from './support/channelPrograms.mjs';
import { recordedRows, recordRows } from './support/record.mjs';

try {
  process.env.PATH = `${channelPrograms()}:${join(root, '.cache', 'stage')}:${process.env.PATH}`;
} catch (error) {
  console.log(error.message);
}
const count = Number(process.argv[2] ?? 100);
const word = process.argv[3] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'sproof-'));
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
const strobe = join(root, 'strobe');
const env = { ...process.env, STROBE_HOME: join(folder, 'home') };
const log = [];
/** What is not installed: then its row is left out, and that is said. */
const leftOut = [];

function answer(request, response) {
  let sent = 0;
  request.on('data', (part) => (sent += part.length));
  request.on('end', () => {
    const body = JSON.stringify({ path: request.url, sent }).repeat(1 + (log.length % 40));
    log.push([request.method, request.url, 200, Buffer.byteLength(body)].join(' '));
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  });
}

/** Alone, too, curl 7.88 loses a request in some of a thousand over one connection to a server of Node (error 16). */
const requestsOfConnection = 500;

/** A script that asks for the addresses of a file over HTTP/2. */
function overConnections(file) {
  const curl = 'curl -sk --http2 -K -';
  return `split -l ${requestsOfConnection} --filter='${curl}' ${file}\n`;
}

async function ended(command, args) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  const [status] = await new Promise((resolve) => {
    child.on('close', (...how) => resolve(how));
  });
  return { output, status };
}

/** Events of channel net of the last session, page by page. */
async function netEvents(more = []) {
  const events = [];
  for (let cursor = null; ;) {
    const page = cursor === null ? [] : ['--cursor', cursor];
    const asked = ['channel', 'query', 'net', '--limit', '500', '--budget', '50000', '--json'];
    const { output } = await ended(strobe, [...asked, ...more, ...page]);
    const found = JSON.parse(output);
    events.push(...found.events);
    cursor = found.cursor;
    if (cursor === null) return { events, lost: await lostEvents() };
  }
}

async function requestsFound(more) {
  const { events, lost } = await netEvents(more);
  const requests = events.filter((one) => one.method);
  const seen = requests.map((one) => [one.method, one.path, one.status, one.received].join(' '));
  return { seen, lost };
}

async function lostEvents() {
  const { output } = await ended(strobe, ['query', 'stats', '--json']);
  return JSON.parse(output).counters.lost;
}

function has(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Each command and its answer are what went over the socket, byte for byte. */
async function redisRow() {
  if (!has('redis-server', ['--version']) || !has('redis-cli', ['--version'])) {
    leftOut.push('redis-cli: not installed');
    return [];
  }
  const socket = join(folder, 'redis.sock');
  const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  try {
    while (!has('redis-cli', ['-s', socket, 'ping']));
    const commands = Array.from({ length: count }, (_, i) => `set shelf${i} bread${i}`);
    const script = join(folder, 'commands');
    writeFileSync(script, commands.map((one) => `${one}\n`).join(''));
    const command = ['sh', '-c', `exec redis-cli -s ${socket} < ${script}`];
    const alone = await ended(command[0], command.slice(1));
    const traced = await ended(strobe, ['run', '-t', '@net', '--', ...command]);
    const { events, lost } = await netEvents(['--raw']);
    const sent = events.filter((one) => one.direction === 'out').map((one) => one.data);
    const wanted = commands.map((_, i) => `shelf${i}\\r\\n$`);
    return [
      {
        program: 'redis-cli',
        requests: count,
        equal: wanted.filter((one) => sent.some((text) => text?.includes(one))).length,
        more: sent.filter((text) => /\\nset/i.test(text ?? '')).length - count,
        lost,
        sameEnd: traced.status === alone.status && traced.output === alone.output,
      },
    ];
  } finally {
    server.kill();
  }
}

/** Each query of psql is named with its text, and what it was answered is what psql wrote. */
async function postgresRow() {
  if (!has('psql', ['--version']) || !has('initdb', ['--version'])) {
    leftOut.push('psql: no PostgreSQL (psql, initdb, pg_ctl)');
    return [];
  }
  // PostgreSQL refuses to be run by root.
  const asUser =
    process.getuid() === 0
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
      : ['env'];
  const data = mkdtempSync('/tmp/spg-');
  if (process.getuid() === 0) spawnSync('chown', ['postgres', data]);
  const run = (...command) => spawnSync(asUser[0], [...asUser.slice(1), ...command], { cwd: data });
  const options = `-c listen_addresses= -k ${data}`;
  const started =
    run('initdb', '-D', join(data, 'd'), '-A', 'trust', '-U', 'proof').status === 0 &&
    run('pg_ctl', '-D', join(data, 'd'), '-w', '-l', join(data, 'log'), '-o', options, 'start')
      .status === 0;
  try {
    if (!started) {
      leftOut.push(
        'psql: no PostgreSQL server could be started (as root it needs the user postgres)',
      );
      return [];
    }
    const queries = Array.from({ length: count }, (_, i) => `select ${i} + 1 as bread`);
    const script = join(folder, 'queries.sql');
    writeFileSync(script, queries.map((one) => `${one};\n`).join(''));
    const where = `host=${data} user=proof dbname=postgres`;
    const command = ['psql', where, '-At', '-f', script];
    const alone = await ended(command[0], command.slice(1));
    const traced = await ended(strobe, ['run', '-t', '@net', '--', ...command]);
    const { events, lost } = await netEvents();
    const messages = events.flatMap((one) => one.messages ?? []);
    const asked = messages.filter((one) => one.startsWith('Query'));
    const completed = messages.filter((one) => one === 'CommandComplete "SELECT 1"');
    const wanted = queries.map((one) => `Query "${one};"`);
    return [
      {
        program: 'psql',
        requests: count,
        equal: wanted.filter((one, at) => asked[at] === one).length,
        more: asked.length - completed.length,
        lost,
        sameEnd: traced.status === alone.status && traced.output === alone.output,
      },
    ];
  } finally {
    run('pg_ctl', '-D', join(data, 'd'), '-m', 'immediate', 'stop');
    rmSync(data, { recursive: true, force: true });
  }
}

/** Lines that pyserial writes, and the answers that it gets, through a port of channel serial. */
async function serialRow() {
  const packages = pythonSerial();
  if (packages === null) {
    leftOut.push('pyserial: no pip of /usr/bin/python3');
    return [];
  }
  const opened = JSON.parse((await ended(strobe, ['channel', 'open', 'serial', '--json'])).output);
  const program = join(folder, 'echo.py');
  writeFileSync(program, echoing(opened.address));
  const environment = ['--env', `PYTHONPATH=${packages}`];
  const launch = ['launch', '--json', ...environment, '--', '/usr/bin/python3', program];
  const { sessionId } = JSON.parse((await ended(strobe, launch)).output);
  const steps = [
    { wait: { on: 'serial', text: 'READY' }, withinMs: 20_000 },
    ...Array.from({ length: Math.min(count, 100) }, (_, i) => ({
      do: 'send',
      on: 'serial',
      text: `line ${i}\n`,
      expect: { on: 'serial', text: `PONG line ${i}\\n`, direction: 'out', count: 1 },
    })),
    { do: 'send', on: 'serial', text: 'QUIT\n' },
    { wait: { on: 'stdio', text: 'done' }, withinMs: 20_000 },
  ];
  const scenario = join(folder, 'serial.json');
  writeFileSync(scenario, JSON.stringify({ steps }));
  const ran = ['channel', 'run', scenario, '--session-id', sessionId, '--json'];
  const scenarioRun = JSON.parse((await ended(strobe, ran)).output);
  if (scenarioRun.failed) console.log(scenarioRun.failed);
  const { passedCount } = scenarioRun;
  await ended(strobe, ['channel', 'close', 'serial']);
  const lines = steps.length - 3;
  const equal = Math.max(0, passedCount - 3);
  return [
    { program: 'pyserial', requests: lines, equal, more: 0, lost: 0, sameEnd: equal === lines },
  ];
}

/** Clients of net/http, and a server of it whose log is what it prints. */
function goPrograms(tls, plain) {
  if (!has('go', ['version'])) {
    leftOut.push('Go: no compiler');
    return {};
  }
  const program = join(folder, 'gonet');
  writeFileSync(`${program}.go`, goSource);
  const built = spawnSync('go', ['build', '-o', program, `${program}.go`], {
    env: { ...env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  });
  if (built.status !== 0) throw new Error('the Go program could not be built');
  const asked = (how, base) => [program, how, base, String(count)];
  return {
    'Go net/http TLS': asked('client', `https://127.0.0.1:${tls}`),
    'Go net/http HTTP/2': asked('client2', `https://127.0.0.1:${tls}`),
    'Go net/http plain': asked('client', `http://127.0.0.1:${plain}`),
    'Go server TLS': asked('server', ''),
  };
}

const tones = [440, 660, 220, 330, 880];

/** Each tone that a player plays is heard within 5 Hz, and silence after the last. */
async function audioRow([player, given, notes]) {
  if (!has('pulseaudio', ['--version']) || !has(player, ['--version'])) {
    leftOut.push(`${player}: not installed, or no pulseaudio`);
    return [];
  }
  const opened = JSON.parse((await ended(strobe, ['channel', 'open', 'audio', '--json'])).output);
  const variables = Object.entries(opened.env).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const launch = ['launch', '--json', ...variables, '--', player, ...given];
  const { sessionId } = JSON.parse((await ended(strobe, launch)).output);
  const steps = [
    { wait: { on: 'audio', text: 'silence after', since: 'start' }, withinMs: 30_000 },
  ];
  const scenario = join(folder, 'audio.json');
  writeFileSync(scenario, JSON.stringify({ steps }));
  await ended(strobe, ['channel', 'run', scenario, '--session-id', sessionId, '--json']);
  const asked = ['channel', 'query', 'audio', '--session-id', sessionId, '--json'];
  const { events } = JSON.parse((await ended(strobe, asked)).output);
  const ending = ['session', 'wait', sessionId, '--for', 'exit', '--json'];
  const last = JSON.parse((await ended(strobe, ending)).output);
  await ended(strobe, ['channel', 'close', 'audio']);
  const heard = events.flatMap(({ data }) => /^sound \S+ ([\d.]+) Hz/.exec(data)?.[1] ?? []);
  const isSilent = events.some(({ data }) => data.startsWith('silence after'));
  return [
    {
      program: player,
      requests: notes.length,
      equal: notes.filter((hz, at) => Math.abs(heard[at] - hz) <= 5).length,
      more: heard.length - notes.length,
      lost: 0,
      sameEnd: isSilent && last.exit?.code === 0,
    },
  ];
}

/** Actions of mousepad are listed and activated by its bus: a document is begun, and the window closed, which ends it. */
async function actionsRow() {
  if (!has('mousepad', ['--version']) || !has('Xvfb', ['-help'])) {
    leftOut.push('mousepad: not installed, or no Xvfb');
    return [];
  }
  const launch = ['launch', '--json', '--ui', '--', 'mousepad'];
  const { sessionId } = JSON.parse((await ended(strobe, launch)).output);
  const of = ['--session-id', sessionId, '--json'];
  await ended(strobe, ['channel', 'open', 'dbus', ...of]);
  const window = 'org.xfce.mousepad /org/xfce/mousepad/window/1 org.gtk.Actions';
  const activate = (name) => `${window}.Activate sava{sv} ["${name}", [], []]`;
  const steps = [
    { wait: { on: 'ui', role: 'frame', name: 'Untitled 1 - Mousepad' }, withinMs: 20_000 },
    {
      do: 'send',
      on: 'dbus',
      text: `${window}.List`,
      expect: { on: 'dbus', text: '"file.new', direction: 'out' },
    },
    {
      do: 'send',
      on: 'dbus',
      text: activate('file.new'),
      expect: { on: 'ui', role: 'frame', name: 'Untitled 2 - Mousepad' },
    },
    { do: 'send', on: 'dbus', text: activate('file.close-window') },
  ];
  const scenario = join(folder, 'actions.json');
  writeFileSync(scenario, JSON.stringify({ steps }));
  const run = JSON.parse((await ended(strobe, ['channel', 'run', scenario, ...of])).output);
  if (run.failed) console.log(run.failed);
  const waited = await ended(strobe, ['session', 'wait', sessionId, '--for', 'exit', '--json']);
  return [
    {
      program: 'mousepad',
      requests: steps.length,
      equal: run.passedCount,
      more: 0,
      lost: 0,
      sameEnd: JSON.parse(waited.output).exit?.code === 0,
    },
  ];
}

/** What plays, by its arguments, and what is to be heard. */
function players() {
  const tonesFile = join(folder, 'tones.wav');
  writeFileSync(tonesFile, waveOf(tones));
  const noteFile = join(folder, 'note.mid');
  writeFileSync(noteFile, noteA4);
  const font = '/usr/share/sounds/sf2/TimGM6mb.sf2';
  const synth = ['-a', 'pulseaudio', '-q', '-i', '-n', '-R', '0', '-C', '0', font, noteFile];
  return [
    ['paplay', [tonesFile], tones],
    ['aplay', [tonesFile], tones],
    ['fluidsynth', synth, [440]],
  ].filter(([player]) => player.includes(word));
}

/** Each text that xclip puts on the clipboard is an event with its bytes. */
async function clipboardRow() {
  if (!has('xclip', ['-version']) || !has('Xvfb', ['-help'])) {
    leftOut.push('xclip: not installed, or no Xvfb');
    return [];
  }
  const copies =
    'while read -r line; do printf %s "$line" | xclip -selection clipboard >/dev/null 2>&1; echo "copied $line"; done';
  const launch = ['launch', '--json', '--ui', '--stdin', 'open', '--', 'sh', '-c', copies];
  const { sessionId } = JSON.parse((await ended(strobe, launch)).output);
  await ended(strobe, ['channel', 'open', 'clipboard', '--session-id', sessionId]);
  const texts = Array.from({ length: Math.min(count, 100) }, (_, i) => `bread ${i}`);
  const steps = texts.map((text) => ({
    do: 'send',
    on: 'stdio',
    text: `${text}\n`,
    withinMs: 20_000,
    expect: { on: 'clipboard', text: `copied ${text.length} bytes "${text}"`, count: 1 },
  }));
  const scenario = join(folder, 'clipboard.json');
  writeFileSync(scenario, JSON.stringify({ steps }));
  const ran = ['channel', 'run', scenario, '--session-id', sessionId, '--json'];
  const scenarioRun = JSON.parse((await ended(strobe, ran)).output);
  if (scenarioRun.failed) console.log(scenarioRun.failed);
  const equal = scenarioRun.passedCount;
  await ended(strobe, ['session', 'stop', sessionId]);
  return [
    { program: 'xclip', requests: texts.length, equal, more: 0, lost: 0, sameEnd: equal > 0 },
  ];
}

const echoing = (port) => `
import serial
with serial.Serial('${port}', 115200, timeout=20) as s:
    s.write(b'READY\\n')
    for line in iter(s.readline, b'QUIT\\n'):
        s.write(b'PONG ' + line)
print('done')
`;

const python = (port) => `
import http.client, ssl
c = http.client.HTTPSConnection('127.0.0.1', ${port}, context=ssl._create_unverified_context())
for i in range(${count}):
    c.request('POST' if i % 3 == 0 else 'GET', f'/python/{i}', b'x' * i if i % 3 == 0 else None)
    print(len(c.getresponse().read()))
`;
const urllib = (port) => `
import ssl, urllib.request
for i in range(${count}):
    with urllib.request.urlopen(f'https://127.0.0.1:${port}/urllib/{i}', b'x' * i if i % 3 == 0 else None, context=ssl._create_unverified_context()) as answer:
        print(len(answer.read()))
`;
const node = (module, port) => `
import client from 'node:${module}';
const agent = new client.Agent({ keepAlive: true, maxSockets: 1 });
for (let i = 0; i < ${count}; i++)
  await new Promise((resolve) => {
    const method = i % 3 === 0 ? 'POST' : 'GET';
    const asked = client.request({ agent, host: '127.0.0.1', port: ${port}, path: '/node/' + i, method, rejectUnauthorized: false }, (response) => {
      let bytes = 0;
      response.on('data', (part) => (bytes += part.length));
      response.on('end', () => (console.log(bytes), resolve()));
    });
    asked.end(i % 3 === 0 ? 'x'.repeat(i) : undefined);
  });
agent.destroy();
`;

const rows = [];
let servers = [];
try {
  const made = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 2 -subj /CN=localhost`;
  spawnSync('openssl', made.split(' '), { stdio: 'ignore' });
  servers = [
    http2.createSecureServer(
      { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
      answer,
    ),
    http.createServer(answer),
  ];
  for (const server of servers)
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [tls, plain] = servers.map((server) => server.address().port);
  const script = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const urls = (base) =>
    script(
      `urls${base.slice(-5)}`,
      Array.from({ length: count }, (_, i) => `url = "${base}/curl/${i}"`).join('\n'),
    );
  const programs = {
    'curl HTTP/1.1 TLS': ['curl', '-sk', '--http1.1', '-K', urls(`https://127.0.0.1:${tls}`)],
    'curl HTTP/2 TLS': [
      'sh',
      script('curl2.sh', overConnections(urls(`https://127.0.0.1:${tls}`))),
    ],
    'curl plain': ['curl', '-s', '-K', urls(`http://127.0.0.1:${plain}`)],
    'Python http.client TLS': ['/usr/bin/python3', script('a.py', python(tls))],
    'Python urllib TLS': ['/usr/bin/python3', script('c.py', urllib(tls))],
    'Node https': [process.execPath, script('a.mjs', node('https', tls))],
    'Node http': [process.execPath, script('b.mjs', node('http', plain))],
    ...goPrograms(tls, plain),
  };
  for (const [name, command] of Object.entries(programs)) {
    if (!name.includes(word)) continue;
    log.length = 0;
    const alone = await ended(command[0], command.slice(1));
    const before = log.splice(0);
    const traced = await ended(strobe, ['run', '-t', '@net', '--', ...command]);
    // A server prints its log, and its own client is seen beside it.
    const isServer = name.includes('server');
    if (isServer) log.push(...alone.output.trim().split('\n'));
    const logged = isServer ? log : before;
    const { seen, lost } = await requestsFound(isServer ? ['--direction', 'in'] : []);
    rows.push({
      program: name,
      requests: logged.length,
      equal: seen.filter((one, at) => one === log[at]).length,
      more: seen.length - log.length,
      lost,
      sameEnd: traced.status === alone.status && traced.output === alone.output,
    });
  }
  if ('redis-cli'.includes(word)) rows.push(...(await redisRow()));
  if ('psql'.includes(word)) rows.push(...(await postgresRow()));
  for (const player of players()) rows.push(...(await audioRow(player)));
  if ('xclip'.includes(word)) rows.push(...(await clipboardRow()));
  if ('mousepad'.includes(word)) rows.push(...(await actionsRow()));
  if ('pyserial'.includes(word)) rows.push(...(await serialRow()));
} finally {
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
  spawnSync(strobe, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const again = new Set(rows.map(({ program }) => program));
const kept = recordedRows('channels').filter(({ program }) => word && !again.has(program));
const all = [...kept, ...rows];
const isGood = (row) =>
  row.requests > 0 && row.equal === row.requests && row.more === 0 && row.lost === 0 && row.sameEnd;
const good = all.filter(isGood).length;
for (const why of leftOut) console.log(`left out: ${why}`);
const verdict = `${good} of ${all.length} programs: each request found as the server logged it, 0 events lost, output as untraced`;
console.log(verdict);
console.table(rows);
recordRows('channels', verdict, all);
if (!rows.every(isGood)) process.exitCode = 1;
