import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { EXIT, Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { idOf } from '../names.ts';
import { type SshOptions, sshTo } from '../open-ssh.ts';
import { type GlobalOptions, Session } from '../session.ts';

type Options = GlobalOptions & SshOptions;

/** Adds `vauban ssh`, which runs OpenSSH through the service with the user's own key. */
export function addSsh(program: Command, io: Io): void {
  program
    .command('ssh')
    .description('log in to a VM or run a command on it, with ssh and your own key; no open port is needed')
    .argument('<vm>', 'its name or id; user@vm for a user other than the default user of its image')
    .argument('[command...]', 'after "--"')
    .option('-l, --login <user>', 'as this user')
    .option('-i, --identity <file>', 'with this private key')
    .option('--option <option>', 'an option of ssh, such as ForwardAgent=yes', collect)
    .addHelpText('after', '\nExample:\n  $ vauban ssh web-1 -- uptime')
    .action(async (given: string, words: string[], _: object, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await ssh(new Session(io, options), given, words, options);
    });
}

/**
 * Adds `vauban ssh-proxy`, which connects standard input and output to a VM's port 22, for an SSH client's
 * `ProxyCommand`.
 */
export function addSshProxy(program: Command, io: Io): void {
  program
    .command('ssh-proxy')
    .description("connect standard input and output to a VM's SSH server, as a ProxyCommand of ssh")
    .argument('<vm>')
    .addHelpText('after', "\nExample:\n  $ scp -o ProxyCommand='vauban ssh-proxy %h' notes.txt debian@web-1:")
    .action(async (given: string, _: object, command: Command) => {
      const session = new Session(io, command.optsWithGlobals<GlobalOptions>());
      const vmId = await idOf(session.client, 'vm', given, []);
      const { readable, writable, closed } = await session.client.openSshConnection(vmId, {
        signal: io.signal,
      });
      // The connection ends when either side ends.
      await Promise.race([
        pipeline(io.stdin as NodeJS.ReadableStream, Writable.fromWeb(writable as never)),
        pipeline(Readable.fromWeb(readable as never), io.stdout, { end: false }),
      ]).catch(() => undefined);
      (io.stdin as Readable).destroy?.();
      await writable.close().catch(() => undefined);
      const { code, reason } = await closed;
      if (code > 1000 && code !== 1005) throw new Failure(EXIT.unreachable, `${code} ${reason}`);
    });
}

const collect = (option: string, before: string[] = []) => [...before, option];

async function ssh(session: Session, given: string, words: string[], options: Options): Promise<void> {
  const { io } = session;
  const args = [...(await sshTo(session, given, options)), ...words];
  const child = spawn('ssh', args, { stdio: 'inherit', env: io.env as NodeJS.ProcessEnv });
  const failed = once(child, 'error').then(([error]) => {
    throw new Failure(EXIT.wronglyCalled, `ssh cannot be started: ${(error as Error).message}`);
  });
  const [code] = (await Promise.race([once(child, 'exit'), failed])) as [number | null];
  if (code !== 0) throw new Failure(code ?? EXIT.interrupted);
}
