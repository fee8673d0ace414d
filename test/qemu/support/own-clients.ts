import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const VAUBAN = join(import.meta.dirname, '../../../cli/bin/vauban.js');
/** The guest's directory for programs that its image does not have. */
const CARRIED = '/tmp/carried';

/** Programs on the customer's own computer: `ssh` through `vauban`, and programs that connect to the guest with it. */
export interface OwnClients {
  /** An empty directory to copy from and to. */
  directory: string;
  /** Runs a command in the guest through `vauban ssh`; throws unless it succeeds. */
  ssh(command: string, input?: Buffer): Promise<string>;
  /** Copies a program and its libraries to the guest, and returns the command that runs it there. */
  carry(program: string): Promise<string>;
  /** Runs a local program; throws unless it succeeds without output. */
  run(program: string, args: string[]): Promise<void>;
  /** The options with which OpenSSH reaches a VM by its name. */
  sshOptions: string[];
}

interface Access {
  baseUrl: string;
  key: string;
  /** The login's private key in OpenSSH format. */
  privateKey: string;
  vm: string;
  username: string;
}

export function ownClients(t: Lifetime, { baseUrl, key, privateKey, vm, username }: Access): OwnClients {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vauban-own-clients-')));
  defer(t, () => rmSync(directory, { recursive: true }));
  const identity = join(directory, 'identity');
  writeFileSync(identity, privateKey, { mode: 0o600 });
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: directory,
    VAUBAN_URL: baseUrl,
    VAUBAN_API_KEY: key,
  };
  const settings = [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    'LogLevel=ERROR',
    `UserKnownHostsFile=${join(directory, 'known_hosts')}`,
  ];
  const proxy = `ProxyCommand=${process.execPath} ${VAUBAN} ssh-proxy %h`;
  const sshOptions = [
    '-F',
    '/dev/null',
    '-i',
    identity,
    ...[proxy, ...settings].flatMap((one) => ['-o', one]),
  ];

  const call = async (program: string, args: string[], input: Buffer = Buffer.alloc(0)): Promise<string> => {
    const child = spawn(program, args, { cwd: directory, env });
    defer(t, () => child.kill());
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await exited;
    if (child.exitCode !== 0 || stderr !== '')
      throw new Error(`${program} ${args.join(' ')}: ${child.exitCode ?? child.signalCode}\n${stderr}`);
    return stdout;
  };
  const ssh = (command: string, input?: Buffer) =>
    call(
      process.execPath,
      [
        ...[VAUBAN, 'ssh', '-i', identity],
        ...settings.flatMap((one) => ['--option', one]),
        ...[`${username}@${vm}`, '--', command],
      ],
      input,
    );
  return {
    directory,
    ssh,
    sshOptions,
    run: async (program, args) => {
      const output = await call(program, args);
      if (output !== '') throw new Error(`${program} said: ${output}`);
    },
    carry: async (program) => {
      const path = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
      const listed = execFileSync('ldd', [path], { encoding: 'utf8' });
      const libraries = [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, library]) => library!);
      const tar = spawn('tar', ['-chz', '-P', '--transform', 's,.*/,,', path, ...libraries], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await ssh(`mkdir -p ${CARRIED}; tar -xz -C ${CARRIED} -f -`, await buffer(tar.stdout));
      return `${CARRIED}/ld-linux-x86-64.so.2 --library-path ${CARRIED} ${CARRIED}/${program}`;
    },
  };
}
