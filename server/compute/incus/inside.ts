import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';
import { greeted } from '../inside/banner.ts';
import { ADD_KEY, REMOVE_KEY } from '../inside/key-scripts.ts';
import { type OpsLogin, runAsRoot, runAsUser } from '../inside/ops-login.ts';
import type { GuestSockets } from './guest-sockets.ts';
import { addressesOf, type Instance, idOf, isOn, userOf } from './instance.ts';

export const SSH_PORT = 22;
/** A server under load may take its time; a person waits no longer. */
const GREETING_MS = 10_000;
/** Across a data centre a connection is there at once; what is lost on the way is sent again after a second, and three. */
const CONNECT_MS = 5_000;

export interface InsideParts {
  clock: Clock;
  sockets: GuestSockets;
  /** The key that every guest authorizes: the only way in. */
  opsLogin?: OpsLogin;
}

/** The insides of running guests, by their network. */
export class Inside {
  readonly #parts: InsideParts;
  /** Changes of a guest's keys. */
  readonly #turns = new KeyedMutex();

  constructor(parts: InsideParts) {
    this.#parts = parts;
  }

  get canLogIn(): boolean {
    return this.#parts.opsLogin !== undefined;
  }

  /** A connection to a port of a guest, ended with the guest. */
  async connect(instance: Instance, port: number): Promise<Duplex> {
    const { clock, sockets } = this.#parts;
    const [first] = addressesOf(instance).toSorted((a, b) => a.family - b.family);
    if (!first) throw new AgentUnavailableError(`${idOf(instance)} has no address`);
    const socket = sockets.add(idOf(instance), connect({ host: first.address, port, noDelay: true }));
    try {
      await within(clock, CONNECT_MS, once(socket, 'connect'), () => new Error('it does not answer'));
      return socket;
    } catch (error) {
      socket.on('error', () => {}).destroy();
      throw error;
    }
  }

  async openSsh(instance: Instance | undefined, id: string): Promise<Duplex> {
    if (!instance || !isOn(instance)) throw new AgentUnavailableError(`${id} is off`);
    try {
      return await greeted(this.#parts.clock, await this.connect(instance, SSH_PORT), GREETING_MS);
    } catch (error) {
      throw new AgentUnavailableError(`nothing answers on port 22 of ${id}: ${(error as Error).message}`);
    }
  }

  async setPassword(instance: Instance, username: string, password: string): Promise<void> {
    if (/[\n:]/.test(username) || password.includes('\n'))
      throw new Error('a line break cannot be in a password');
    const keys = this.#keysOf(instance);
    const socket = await this.openSsh(instance, idOf(instance));
    await runAsRoot(socket, userOf(instance), keys, 'chpasswd', `${username}:${password}\n`);
  }

  authorizeKey(instance: Instance, publicKey: string): Promise<void> {
    return this.#changeKeys(instance, ADD_KEY, publicKey);
  }

  revokeKey(instance: Instance, publicKey: string): Promise<void> {
    return this.#changeKeys(instance, REMOVE_KEY, publicKey);
  }

  #changeKeys(instance: Instance, script: string, publicKey: string): Promise<void> {
    const id = idOf(instance);
    return this.#turns.run(id, async () => {
      const keys = this.#keysOf(instance);
      await runAsUser(
        await this.openSsh(instance, id),
        userOf(instance),
        keys,
        script,
        `${publicKey.trim()}\n`,
      );
    });
  }

  #keysOf(instance: Instance): () => Promise<readonly string[]> {
    const { opsLogin } = this.#parts;
    if (!opsLogin) throw new AgentUnavailableError(`nothing inside ${idOf(instance)} can be asked`);
    return () => opsLogin(idOf(instance));
  }
}
