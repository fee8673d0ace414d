import ssh2 from 'ssh2';
import type { ComputeDriver } from '../../../server/compute/driver.ts';

type Login = { privateKey: string } | { password: string };

/** Runs a command as root in a guest and returns its output. If the command ends the connection, that is a success. */
export async function inGuest(
  driver: ComputeDriver,
  id: string,
  login: Login,
  command: string,
): Promise<string> {
  const sock = await driver.openSsh(id);
  const client = new ssh2.Client();
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).on('error', reject);
      client.connect({ sock, username: 'root', readyTimeout: 0, ...login });
    });
    return await new Promise((resolve, reject) => {
      client.once('close', () => resolve(''));
      client.exec(command, (error, channel) => {
        if (error) return reject(error);
        let text = '';
        channel.on('data', (bytes: Buffer) => {
          text += bytes;
        });
        channel.on('close', () => resolve(text));
      });
    });
  } finally {
    client.end();
    sock.destroy();
  }
}
