import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { offeringKeys } from '../../platform/ssh-key-pair.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';

/**
 * Private keys, in OpenSSH's format, one of which the guest of that id authorizes: the likeliest first. Asked for when they
 * are needed, as they change.
 */
export type OpsLogin = (id: string) => Promise<readonly string[]>;

/** The same for one guest. */
export type GuestKeys = () => Promise<readonly string[]>;

/** Of a login and a command: those of the service change a file. A guest that does not come to an end has failed. */
const COMMAND_MS = 60_000;
/** Of what a failed command said. */
const MAX_WORDS = 500;

/** Runs a shell command inside a guest as its default user; what is secret comes by `input`, which no list shows. */
export async function runAsUser(
  sock: Duplex,
  username: string,
  login: GuestKeys,
  command: string,
  input: string,
  clock: Clock = systemClock,
): Promise<void> {
  const client = new ssh2.Client();
  const work = async () => {
    await logIn(client, sock, username, await login());
    return execute(client, command, input);
  };
  try {
    const late = () => new AgentUnavailableError(`the guest did not do it in ${COMMAND_MS / 1000} s`);
    const { code, words } = await within(clock, COMMAND_MS, work(), late);
    if (code !== 0) throw new Error(`the guest refused: ${words || `status ${code}`}`);
  } finally {
    client.end();
    sock.destroy();
  }
}

/** The same as root, for a default user who may become root without a password, as cloud images have it. */
export function runAsRoot(
  sock: Duplex,
  username: string,
  login: GuestKeys,
  command: string,
  input: string,
): Promise<void> {
  return runAsUser(sock, username, login, username === 'root' ? command : `sudo -n ${command}`, input);
}

function logIn(
  client: ssh2.Client,
  sock: Duplex,
  username: string,
  privateKeys: readonly string[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('close', () => reject(new AgentUnavailableError('the guest closed the connection')));
    // Kept: a connection that breaks later has ended the command, which says so.
    client.on('error', (error) =>
      reject(new AgentUnavailableError(`the guest refuses the login: ${error.message}`)),
    );
    // The way to the guest is the host's own, so no one in between could be detected by a host key.
    const authHandler = offeringKeys(username, privateKeys);
    client.connect({ sock, username, authHandler, readyTimeout: 0 });
  });
}

function execute(
  client: ssh2.Client,
  command: string,
  input: string,
): Promise<{ code: number | null; words: string }> {
  return new Promise((resolve, reject) => {
    client.once('close', () => reject(new AgentUnavailableError('the guest closed the connection')));
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let code: number | null = null;
      let words = '';
      const keep = (bytes: Buffer) => {
        words = `${words}${bytes}`.slice(0, MAX_WORDS);
      };
      channel.on('data', () => {});
      channel.stderr.on('data', keep);
      channel.on('exit', (given) => {
        code = given;
      });
      channel.on('close', () => resolve({ code, words: words.trim() }));
      channel.end(input);
    });
  });
}
