import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { defer } from '../../support/cleanup.ts';

const NAMESPACE = `--net=/run/netns/${process.env.VAUBAN_TEST_INTERNET}`;
const RELAY = join(import.meta.dirname, 'relay.ts');
const SEND = `
  const [host, port, count] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket('udp4');
  for (let n = 0; n < count; n++) await new Promise((sent) => socket.send('x', Number(port), host, sent));
  socket.close();`;

/** Opens a connection from the internet. */
function dial(t: TestContext, host: string, port: number): Duplex {
  const child = spawn('nsenter', [NAMESPACE, process.execPath, RELAY, host, `${port}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  defer(t, () => child.kill('SIGKILL'));
  return Duplex.from({ readable: child.stdout, writable: child.stdin });
}

/** Sends `count` datagrams from the internet; resolves when they are on the wire. */
export async function sendDatagrams(host: string, port: number, count: number): Promise<void> {
  const script = `(async () => {${SEND}})()`;
  await promisify(execFile)('nsenter', [
    NAMESPACE,
    process.execPath,
    '-e',
    script,
    host,
    `${port}`,
    `${count}`,
  ]);
}

/** A login, from the internet unless `from` is another way. */
export interface Login {
  run(command: string): Promise<string>;
  end(): void;
}

export function logIn(
  t: TestContext,
  { host, port }: { host: string; port: number },
  credentials: { username: string } & ({ privateKey: string } | { password: string }),
  from: (t: TestContext, host: string, port: number) => Duplex = dial,
): Promise<Login> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on('error', reject);
    client.on('close', () => reject(new Error(`${host}:${port} closed the connection`)));
    client.on('ready', () => resolve({ run: (command) => run(client, command), end: () => client.end() }));
    // An emulated guest is slow to exchange keys; the test's own timeout ends it.
    client.connect({ sock: from(t, host, port), readyTimeout: 0, ...credentials });
  });
}

function run(client: ssh2.Client, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let output = '';
      channel.on('data', (bytes: Buffer) => {
        output += bytes;
      });
      channel.stderr.resume();
      channel.on('close', () => resolve(output.trim()));
    });
  });
}
