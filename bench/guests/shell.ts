import { once } from 'node:events';
import type { Socket } from 'node:net';
import ssh2 from 'ssh2';

export interface Shell {
  /** Returns a command's output; throws if it fails. */
  run(command: string): Promise<string>;
  end(): void;
}

/** Logs in over a connection that was just made; rejects if the guest closes it. */
export async function openShell(sock: Socket, privateKey: string): Promise<Shell> {
  const client = new ssh2.Client();
  // A booting guest may accept a connection and drop it.
  const closed = once(
    client.on('error', () => {}),
    'close',
  ).then(() => {
    throw new Error('the guest closed the connection');
  });
  const ready = once(client, 'ready');
  client.connect({ sock, username: 'root', readyTimeout: 0, privateKey });
  await Promise.race([ready, closed]);
  return {
    run: (command) => Promise.race([run(client, command), closed]),
    end: () => client.destroy(),
  };
}

function run(client: ssh2.Client, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let output = '';
      let words = '';
      let code: number | null = null;
      channel.on('data', (bytes: Buffer) => {
        output += bytes;
      });
      channel.stderr.on('data', (bytes: Buffer) => {
        words += bytes;
      });
      channel.on('exit', (status: number | null) => {
        code = status;
      });
      channel.on('close', () =>
        code === 0 ? resolve(output) : reject(new Error(`${command}: ${code} ${words}`)),
      );
    });
  });
}
