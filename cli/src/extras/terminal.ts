import type { Command } from 'commander';
import { EXIT, Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { idOf } from '../names.ts';
import { type GlobalOptions, Session } from '../session.ts';

/** Adds `vauban terminal`, which opens a shell through the service without a key. */
export function addTerminal(program: Command, io: Io): void {
  program
    .command('terminal')
    .description('open a shell on a VM through the service, without your own key')
    .argument('<vm>')
    .option('-l, --login <user>', 'as this user')
    .addHelpText('after', '\nExample:\n  $ vauban terminal web-1')
    .action(async (given: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { login?: string }>();
      await terminal(new Session(io, options), given, options.login);
    });
}

async function terminal({ client, io }: Session, given: string, username?: string): Promise<void> {
  const { stdin, stdout, signal } = io;
  const vmId = await idOf(client, 'vm', given, []);
  const size = () => ({ cols: stdout.columns ?? 80, rows: stdout.rows ?? 24 });
  const shell = await client.openTerminal(vmId, { ...size(), ...(username && { username }) }, { signal });
  const resize = () => shell.resize(size().cols, size().rows);
  const writer = shell.writable.getWriter();
  const type = (chunk: Buffer) => void writer.write(chunk).catch(() => undefined);
  stdin.setRawMode?.(true);
  stdin.on('data', type);
  stdout.on('resize', resize);
  try {
    // The guest's output is deliberately not escaped: it controls the terminal, as in any shell.
    for await (const chunk of shell.readable as unknown as AsyncIterable<Uint8Array>) stdout.write(chunk);
  } finally {
    stdin.setRawMode?.(false);
    stdin.off('data', type);
    stdin.pause();
    stdout.off('resize', resize);
  }
  const { code, reason } = await shell.closed;
  if (code !== 1000) throw new Failure(EXIT.unreachable, `${code} ${reason}`);
}
