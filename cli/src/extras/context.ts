import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { readContexts, requireKey, requireName, requireUrl, writeContexts } from '../contexts.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { type GlobalOptions, Session } from '../session.ts';

/** Adds `vauban context`, which stores services and their keys by name. */
export function addContext(program: Command, io: Io): void {
  const group = program.command('context').description('services and your keys for them');
  group
    .command('create')
    .description('store a service and a key, read from standard input, and switch to it')
    .argument('<name>')
    .requiredOption('--url <url>', 'the address of the service, such as https://cloud.example')
    .addHelpText('after', '\nExample:\n  $ vauban context create demo --url https://cloud.example < key.txt')
    .action((name: string, { url }: { url: string }) => create(io, name, url));
  group
    .command('list')
    .description('list them')
    .action((_: object, command: Command) => {
      const { current, contexts } = readContexts(io.env);
      const session = new Session(io, command.optsWithGlobals<GlobalOptions>());
      // The keys are never printed.
      const items = Object.entries(contexts).map(([id, { url }]) => ({ id, url, current: id === current }));
      session.printer.list(items, {
        columns: [{ heading: 'name', cell: ({ id }) => id }, 'url', 'current'],
      });
    });
  group
    .command('use')
    .description('switch to another context')
    .argument('<name>')
    .action((name: string) => {
      const { contexts } = known(io, name);
      writeContexts(io.env, { current: name, contexts });
    });
  group
    .command('delete')
    .description('delete a context and its key')
    .argument('<name>')
    .action((name: string) => {
      const { current, contexts } = known(io, name);
      delete contexts[name];
      writeContexts(io.env, { current: current === name ? null : current, contexts });
    });
}

async function create(io: Io, name: string, url: string): Promise<void> {
  const context = { url: requireUrl(url), key: '' };
  const stored = readContexts(io.env);
  const { protocol, hostname } = new URL(context.url);
  if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
    io.stderr.write('vauban: over http://, your key is sent unencrypted.\n');
  context.key = requireKey(await readKey(io));
  stored.contexts[requireName(name)] = context;
  writeContexts(io.env, { ...stored, current: name });
}

function known(io: Io, name: string) {
  const stored = readContexts(io.env);
  if (!stored.contexts[name]) throw new Failure(EXIT.wronglyCalled, `There is no context "${name}".`);
  return stored;
}

/** Reads a key without echo from a terminal, or the whole standard input. */
async function readKey({ stdin, stderr, signal }: Io): Promise<string> {
  if (!stdin.isTTY) return text(stdin as NodeJS.ReadableStream);
  stderr.write('API key: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once('line', resolve);
      terminal.once('close', () => reject(new Failure(EXIT.notConfirmed, 'Nothing was stored.')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
