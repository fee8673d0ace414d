import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isInstalled } from '../../../scripts/installed.ts';
import { defer } from '../../support/cleanup.ts';
import { read } from '../../support/source.ts';

const DOCUMENT = 'docs/behind-a-proxy.md';
export const HOSTNAME = 'api.example.com';
/** Below the system's range for outgoing connections, so that none of them can use it. */
const PORT = 8443;
const run = promisify(execFile);

/** A proxy that runs as documented. */
export interface RunningProxy {
  /** The address for customers. */
  baseUrl: string;
  /** The IP address behind the name in `baseUrl`. */
  address: string;
  /** Its self-signed certificate, as PEM. */
  certificate: string;
  /** Contains the proxy's own files. */
  directory: string;
}

interface Place {
  directory: string;
  address: string;
}

interface Kind {
  /** Text of the document, and its replacement here. */
  replace(place: Place): Record<string, string>;
  /** Returns the whole file around the document's block: settings of the process, unrelated to Vauban. */
  wrap(block: string, place: Place): string;
  start(file: string): string[];
}

export const KINDS = {
  nginx: {
    replace: ({ address }) => ({ 'listen 443': `listen ${address}:${PORT}` }),
    wrap: (block, { directory }) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${directory}/pid;
events {}
http {
access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n')}
${block}
}
`,
    start: (file) => ['nginx', '-c', file, '-e', 'stderr', '-g', 'daemon off;'],
  },
  caddy: {
    replace: () => ({ [`https://${HOSTNAME}`]: `https://${HOSTNAME}:${PORT}` }),
    wrap: (block, { address }) => `
{
  admin off
  auto_https disable_redirects
  default_bind ${address}
}
${block}
`,
    start: (file) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
  haproxy: {
    replace: ({ address }) => ({ 'bind :443': `bind ${address}:${PORT}` }),
    wrap: (block, { directory }) => `
global
  stats socket ${directory}/stats level operator
${block}
`,
    start: (file) => ['haproxy', '-f', file, '-db'],
  },
} satisfies Record<string, Kind>;
export type ProxyName = keyof typeof KINDS;

/** Returns why the proxies cannot run here, or false. If VAUBAN_REQUIRE_PROXIES is 1, that is an error. */
export function skipWithoutProxies(): string | false {
  const missing = [...Object.keys(KINDS), 'openssl'].filter((program) => !isInstalled(program));
  const reason = missing.length > 0 && `${missing.join(', ')} not installed`;
  if (reason && process.env.VAUBAN_REQUIRE_PROXIES === '1') throw new Error(reason);
  return reason;
}

/** Returns the configuration from the document's block of this name, with the replacements. */
function documented(name: ProxyName, replacements: Record<string, string>): string {
  const [, block] = new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\`$`, 'ms').exec(read(DOCUMENT)) ?? [];
  if (!block) throw new Error(`${DOCUMENT} has no block ${name}`);
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${name}: the document does not say "${from}" any more`);
    return text.replaceAll(from, to);
  }, block);
}

/** Creates a key and a self-signed certificate; HAProxy wants both in one file. */
async function makeCertificate(directory: string): Promise<string> {
  const [key, certificate] = [join(directory, 'tls.key'), join(directory, 'tls.crt')];
  const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const who = ['-subj', `/CN=${HOSTNAME}`, '-addext', `subjectAltName=DNS:${HOSTNAME}`];
  await run('openssl', ['req', '-x509', ...what, ...who, '-keyout', key, '-out', certificate]);
  const text = await readFile(certificate, 'utf8');
  await writeFile(join(directory, 'tls.pem'), text + (await readFile(key, 'utf8')), { mode: 0o600 });
  return text;
}

/** Starts the documented proxy in front of `service`; it ends with the test. */
export async function startProxy(
  t: TestContext,
  name: ProxyName,
  service: { baseUrl: string },
): Promise<RunningProxy> {
  const directory = await mkdtemp(join(tmpdir(), `vauban-${name}-`));
  defer(t, () => rm(directory, { recursive: true, force: true }));
  // The chance that another process of this machine uses it is one in millions.
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const certificate = await makeCertificate(directory);
  const kind: Kind = KINDS[name];
  const block = documented(name, {
    ...kind.replace({ directory, address }),
    '127.0.0.1:8080': new URL(service.baseUrl).host,
    '/etc/ssl/vauban': directory,
  });
  const file = join(directory, 'configuration');
  await writeFile(file, kind.wrap(block, { directory, address }));
  const home = join(directory, 'home');
  await mkdir(home);
  const [program, ...options] = kind.start(file);
  const child = spawn(program!, options, {
    cwd: directory,
    env: {
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  exited.catch(() => {});
  defer(t, async () => {
    child.kill('SIGTERM');
    // On SIGTERM nginx waits for nothing, nor do the others without connections: our clients have disconnected by now.
    await exited;
  });
  await untilItListens(child, address);
  return { baseUrl: `https://${HOSTNAME}:${PORT}`, address, certificate, directory };
}

async function untilItListens(child: ChildProcess, address: string): Promise<void> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (text) => {
      output = (output + text).slice(-10_000);
    });
  while (!(await answers(address))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it did not start: ${output}`);
    await sleep(20);
  }
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(PORT, address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Waits for HAProxy's first check of the service and returns the latest result, such as `L7OK 200`. */
export async function lastCheck({ directory }: RunningProxy): Promise<string> {
  for (;;) {
    const [header, ...rows] = (await showStatistics(join(directory, 'stats'))).trim().split('\n');
    const names = header!.replace(/^# /, '').split(',');
    const row = rows.map((line) => line.split(',')).find((cells) => cells[1] === 'a')!;
    const value = (name: string) => row[names.indexOf(name)];
    // Has an asterisk while the next check is in progress.
    const status = value('check_status')!.replace(/^\* /, '');
    if (status && status !== 'INI') return `${status} ${value('check_code')}`;
    await sleep(20);
  }
}

async function showStatistics(path: string): Promise<string> {
  const socket = connect(path);
  socket.end('show stat\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}
