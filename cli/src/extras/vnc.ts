import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { safe } from '../../../shared/safe-text.ts';
import { explain } from '../errors.ts';
import type { Io } from '../io.ts';
import { idOf } from '../names.ts';
import { type GlobalOptions, Session } from '../session.ts';

const port = (text: string) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Use a port from 0 to 65535.');
  return Number(text);
};

/** Adds `vauban vnc`, which makes the screen of a VM available on a local port, for any VNC viewer. */
export function addVnc(program: Command, io: Io): void {
  program
    .command('vnc')
    .description('forward a local port to the screen of a VM, until interrupted')
    .argument('<vm>')
    .option('--port <port>', 'the local port; a free one by default', port, 0)
    .addHelpText('after', '\nExample:\n  $ vauban vnc web-1 --port 5901')
    .action(async (given: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { port: number }>();
      await vnc(new Session(io, options), given, options.port);
    });
}

async function vnc(session: Session, given: string, wanted: number): Promise<void> {
  const { client, io } = session;
  const vmId = await idOf(client, 'vm', given, []);
  const viewers = new Set<Socket>();
  const server = createServer((viewer) => {
    viewers.add(viewer);
    // A viewer whose connection fails is hung up; the next one may succeed.
    show(session, vmId, viewer)
      .catch((error: unknown) => session.note(`vauban: ${explain(error).lines.join(' ')}`))
      .finally(() => {
        viewers.delete(viewer);
        viewer.destroy();
      });
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  session.printer.lines(`vnc://127.0.0.1:${(server.address() as AddressInfo).port}`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  server.close();
  for (const viewer of viewers) viewer.destroy();
}

async function show(session: Session, vmId: string, viewer: Socket): Promise<void> {
  const { readable, writable, password, close } = await session.client.openScreen(vmId, {
    signal: session.io.signal,
  });
  if (password !== null) session.note(`Its password: ${safe(password)}`);
  await Promise.race([
    pipeline(viewer, Writable.fromWeb(writable as never)),
    pipeline(Readable.fromWeb(readable as never), viewer),
  ]).catch(() => undefined);
  close();
}
