import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { offeringKeys } from '../../platform/ssh-key-pair.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';

/**
 * Returns private keys in OpenSSH format, most likely first, one of which the guest with this id authorizes. Call it
 * when they are needed, because they change.
 */
export type OpsLogin = (id: string) => Promise<readonly string[]>;

/** Returns the keys of one guest; see {@link OpsLogin}. */
export type GuestKeys = () => Promise<readonly string[]>;

/**
 * Time limit of a login and a command. The service's commands only edit a file, so a guest that takes longer has
 * failed.
 */
const COMMAND_MS = 60_000;
/** Longest error output of a command that is passed on. */
const MAX_WORDS = 500;

/** Runs a shell command inside a guest as its default user. Pass secrets in `input`, which no process list shows. */
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
    const late = () => new AgentUnavailableError(`the guest did not finish within ${COMMAND_MS / 1000} s`);
    const { code, words } = await within(clock, COMMAND_MS, work(), late);
    if (code !== 0) throw new Error(`the guest refused: ${words || `status ${code}`}`);
  } finally {
    client.end();
    sock.destroy();
  }
}

/**
 * Same as `runAsUser`, but as root. The default user must be allowed to use sudo without a password, as in cloud
 * images.
 */
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
    // Stays attached: if the connection breaks later, the command has already failed and reports it.
    client.on('error', (error) =>
      reject(new AgentUnavailableError(`the guest refused the login: ${error.message}`)),
    );
    // The host key is not checked: the connection uses the host's own network, where no one could intercept it.
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
