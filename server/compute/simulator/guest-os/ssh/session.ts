import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2';
import { greeting, interact, runLine } from '../shell/interact.ts';
import { Shell } from '../shell/shell.ts';
import { Terminal } from '../shell/terminal.ts';
import { recordLogin } from '../system/logins.ts';
import type { System } from '../system/system.ts';
import { SftpServer } from './sftp.ts';
import { sinkOf } from './streams.ts';

/** Number of environment variables that a client may set; OpenSSH accepts only a few. */
const MAX_ENVIRONMENT = 64;
const MAX_VALUE = 1024;
const SIGNALS: Record<string, number> = { HUP: 129, INT: 130, QUIT: 131, KILL: 137, TERM: 143 };

interface Wanted {
  env: Record<string, string>;
  pty: PseudoTtyInfo | undefined;
  terminal: Terminal | undefined;
  /** Aborted when a signal from the client ends the running command. */
  stop: AbortController;
  code: number | undefined;
}

/** Serves one channel of a connection: a shell or a command, with a terminal if the client asked for one. */
export function serveSession(session: Session, system: System, user: string, outer: AbortSignal): void {
  const stop = new AbortController();
  const wanted: Wanted = { env: {}, pty: undefined, terminal: undefined, stop, code: undefined };
  const signal = AbortSignal.any([outer, stop.signal]);
  session.on('env', (accept, _reject, { key, val }: { key: string; val: string }) => {
    const room = Object.keys(wanted.env).length < MAX_ENVIRONMENT && val.length <= MAX_VALUE;
    if (room && /^[A-Za-z_]\w{0,63}$/.test(key)) wanted.env[key] = val;
    accept?.();
  });
  session.on('pty', (accept, _reject, info) => {
    wanted.pty = info;
    accept?.();
  });
  session.on('window-change', (accept, _reject, info) => {
    wanted.terminal?.resize(info.cols, info.rows);
    accept?.();
  });
  session.on('signal', (accept, _reject, { name }) => {
    wanted.code = Object.hasOwn(SIGNALS, name) ? SIGNALS[name] : undefined;
    if (wanted.code !== undefined) stop.abort();
    accept?.();
  });
  session.on('close', () => stop.abort());
  const run = (channel: ServerChannel, command: string | undefined) => {
    serve(channel, command, system, user, wanted, signal).catch(() => channel.destroy());
  };
  session.on('sftp', (accept) => {
    const sftp = accept();
    sftp.on('error', () => {});
    new SftpServer(sftp, system, user);
  });
  session.on('shell', (accept) => run(accept(), undefined));
  session.on('exec', (accept, _reject, { command }) => run(accept(), command));
}

async function serve(
  channel: ServerChannel,
  command: string | undefined,
  system: System,
  user: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<void> {
  channel.on('error', () => {});
  channel.once('close', () => wanted.stop.abort());
  const ended = wanted.pty
    ? await withTerminal(channel, command, system, user, wanted, signal)
    : await withoutTerminal(channel, command, system, user, wanted, signal);
  if (channel.destroyed) return;
  channel.resume();
  channel.exit(wanted.code ?? ended);
  channel.end();
}

async function withoutTerminal(
  channel: ServerChannel,
  command: string | undefined,
  system: System,
  user: string,
  { env }: Wanted,
  signal: AbortSignal,
): Promise<number> {
  const shell = new Shell({ system, user, env });
  // A command that stops reading must not close the channel, because its exit code has not been sent yet.
  const stdin = { [Symbol.asyncIterator]: () => channel.iterator({ destroyOnReturn: false }) };
  const streams = { stdin, stdout: sinkOf(channel), stderr: sinkOf(channel.stderr), signal };
  // A shell without a terminal reads its script from standard input.
  return command === undefined ? shell.execute(['bash'], streams) : shell.run(command, streams);
}

async function withTerminal(
  channel: ServerChannel,
  command: string | undefined,
  system: System,
  user: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<number> {
  const { env, pty } = wanted;
  const sink = sinkOf(channel);
  const terminal = new Terminal((bytes) => sink.write(bytes));
  wanted.terminal = terminal;
  terminal.resize(pty?.cols ?? 80, pty?.rows ?? 24);
  channel.on('data', (bytes: Buffer) => terminal.input(bytes));
  channel.on('end', () => terminal.close());
  signal.addEventListener('abort', () => terminal.close(), { once: true });
  const login = await recordLogin(system, user, '198.51.100.1');
  try {
    const shell = new Shell({
      system,
      user,
      terminal,
      tty: login.tty,
      env: { TERM: 'xterm-256color', ...env },
    });
    if (command !== undefined) return await runLine(shell, terminal, command, signal);
    await terminal.print(greeting(shell));
    return await interact(shell, terminal, signal);
  } finally {
    await login.end();
  }
}
