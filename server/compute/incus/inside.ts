import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import { AgentUnavailableError } from '../driver.ts';
import { connectTo } from '../inside/connect.ts';
import { ADD_KEY, REMOVE_KEY } from '../inside/key-scripts.ts';
import { type OpsLogin, runAsRoot, runAsUser } from '../inside/ops-login.ts';
import { openSsh, SSH_PORT } from '../inside/ssh.ts';
import type { GuestSockets } from './guest-sockets.ts';
import { addressesOf, type Instance, idOf, isOn, userOf } from './instance.ts';

export interface InsideParts {
  clock: Clock;
  sockets: GuestSockets;
  /** The key that every guest authorizes: the service's only way to log in. */
  opsLogin?: OpsLogin;
}

/** Access to running guests over their network. */
export class Inside {
  readonly #parts: InsideParts;
  /** Serializes changes to a guest's keys. */
  readonly #turns = new KeyedQueue();

  constructor(parts: InsideParts) {
    this.#parts = parts;
  }

  get canLogIn(): boolean {
    return this.#parts.opsLogin !== undefined;
  }

  /** Opens a connection to a port of a guest. It ends with the guest. */
  connect(instance: Instance, port: number, signal?: AbortSignal): Promise<Duplex> {
    const guest = { id: idOf(instance), addresses: addressesOf(instance) };
    return connectTo(guest, port, signal, (socket) => this.#parts.sockets.add(guest.id, socket));
  }

  async openSsh(instance: Instance | undefined, id: string): Promise<Duplex> {
    if (!instance || !isOn(instance)) throw new AgentUnavailableError(`${id} is off`);
    return openSsh(this.#parts.clock, id, () => this.connect(instance, SSH_PORT));
  }

  async setPassword(instance: Instance, username: string, password: string): Promise<void> {
    if (/[\n:]/.test(username) || password.includes('\n'))
      throw new Error('a password cannot contain a line break');
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
    if (!opsLogin) throw new AgentUnavailableError(`the service has no way to log in to ${idOf(instance)}`);
    return () => opsLogin(idOf(instance));
  }
}
