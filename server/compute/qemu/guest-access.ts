import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { AgentUnavailableError } from '../driver.ts';
import { ADD_KEY, REMOVE_KEY } from '../inside/key-scripts.ts';
import { type GuestKeys, type OpsLogin, runAsRoot, runAsUser } from '../inside/ops-login.ts';
import { openSsh, SSH_PORT } from '../inside/ssh.ts';
import type { Guest } from './guest.ts';
import { askAgent } from './guest-agent.ts';
import type { HostNetwork } from './network.ts';
import { connectScreen } from './screen.ts';

export interface GuestAccessParts {
  clock: Clock;
  network: HostNetwork;
  /** The key that every guest authorizes; the second way in, where an image has no guest agent. */
  opsLogin?: OpsLogin;
}

/** The insides of running guests: their screen, their SSH server, and what is changed in them. */
export class GuestAccess {
  readonly #parts: GuestAccessParts;
  /** The channel of an agent serves one caller at a time. */
  readonly #agents = new KeyedMutex();
  /** Guests that are being frozen or thawed. */
  readonly #freezing = new Set<Guest>();

  constructor(parts: GuestAccessParts) {
    this.#parts = parts;
  }

  async openVnc(guest: Guest): Promise<Duplex> {
    this.#requirePower(guest);
    return connectScreen(guest.file('vnc')).catch((error) => {
      throw new AgentUnavailableError(`the screen of ${guest.id} cannot be reached: ${error.message}`);
    });
  }

  async openSsh(guest: Guest): Promise<Duplex> {
    this.#requirePower(guest);
    const { clock, network } = this.#parts;
    return openSsh(clock, guest.id, () => network.connect(guest.networkGuest, SSH_PORT));
  }

  async setPassword(guest: Guest, username: string, password: string): Promise<void> {
    this.#requirePower(guest);
    if (/[\n:]/.test(username) || password.includes('\n'))
      throw new Error('a line break cannot be in a password');
    if (guest.run?.agentOpen) {
      const encoded = Buffer.from(password).toString('base64');
      await this.#ask(guest, 'guest-set-user-password', { username, password: encoded, crypted: false });
    } else {
      const login = this.#opsLogin(guest);
      await runAsRoot(
        await this.openSsh(guest),
        guest.record.user,
        login,
        'chpasswd',
        `${username}:${password}\n`,
      );
    }
  }

  async authorizeKey(guest: Guest, publicKey: string): Promise<void> {
    await this.#changeKeys(guest, publicKey, 'guest-ssh-add-authorized-keys', ADD_KEY);
  }

  async revokeKey(guest: Guest, publicKey: string): Promise<void> {
    await this.#changeKeys(guest, publicKey, 'guest-ssh-remove-authorized-keys', REMOVE_KEY);
  }

  /** By the agent's command, else by the script, which must not run beside another: one would undo the other's change. */
  async #changeKeys(guest: Guest, publicKey: string, command: string, script: string): Promise<void> {
    this.#requirePower(guest);
    const { user } = guest.record;
    const key = publicKey.trim();
    if (guest.run?.agentOpen) {
      await this.#ask(guest, command, { username: user, keys: [key] });
    } else {
      const login = this.#opsLogin(guest);
      const change = async () => runAsUser(await this.openSsh(guest), user, login, script, `${key}\n`);
      await this.#agents.run(guest.id, change);
    }
  }

  /** Runs `work` while the guest's file systems stand still, where its agent can do that; in any case it runs. */
  async frozen<T>(guest: Guest, work: () => Promise<T>): Promise<T> {
    if (!guest.run?.agentOpen) return work();
    this.#freezing.add(guest);
    try {
      // On the disk before it is done: a service that ends in between leaves a guest that cannot write.
      await this.#note(guest, true);
      await this.#ask(guest, 'guest-fsfreeze-freeze').catch(() => {});
      return await work();
    } finally {
      // Also after a freeze that failed: it may have come as far as some of them.
      await this.#thaw(guest).catch(() => {});
      this.#freezing.delete(guest);
    }
  }

  /** Thaws guests whose thaw was never tried, because the service ended, or has failed. */
  thawForgotten(guests: Guest[]): void {
    for (const guest of guests) {
      if (!guest.record.run?.frozen || !guest.run?.agentOpen || this.#freezing.has(guest)) continue;
      this.#freezing.add(guest);
      // One that does not answer is asked again; the others are not kept waiting.
      this.#thaw(guest)
        .catch(() => {})
        .finally(() => this.#freezing.delete(guest));
    }
  }

  async #thaw(guest: Guest): Promise<void> {
    await this.#ask(guest, 'guest-fsfreeze-thaw');
    await this.#note(guest, false);
  }

  async #note(guest: Guest, frozen: boolean): Promise<void> {
    const { run } = guest.record;
    // Of one that went off meanwhile nothing stands still.
    if (run) await guest.save({ run: { ...run, frozen } });
  }

  /** Something inside answers, as far as is known, so that passwords and keys can be set. */
  canChange({ run }: Guest): boolean {
    if (!run || run.ending) return false;
    return run.agentOpen || (run.booted && this.#parts.opsLogin !== undefined);
  }

  /** Whether a file is there inside, by the agent or else as the default user; rejects where that is unknown. */
  async hasFile(guest: Guest, path: string): Promise<boolean> {
    this.#requirePower(guest);
    if (guest.run?.agentOpen) {
      const open = this.#ask(guest, 'guest-file-open', { path, mode: 'r' });
      // An agent may be forbidden to open files.
      const handle = await open.catch(() => undefined);
      if (handle !== undefined) {
        await this.#ask(guest, 'guest-file-close', { handle });
        return true;
      }
    }
    const login = this.#opsLogin(guest);
    await runAsUser(await this.openSsh(guest), guest.record.user, login, `test -e ${path}`, '');
    return true;
  }

  #ask(guest: Guest, command: string, args?: Record<string, unknown>): Promise<unknown> {
    return this.#agents.run(guest.id, () => askAgent(this.#parts.clock, guest.file('agent'), command, args));
  }

  #requirePower(guest: Guest): void {
    if (!guest.run || guest.run.ending) throw new AgentUnavailableError(`${guest.id} is off`);
  }

  /** Asks for the keys of this guest. */
  #opsLogin(guest: Guest): GuestKeys {
    const { opsLogin } = this.#parts;
    if (opsLogin) return () => opsLogin(guest.id);
    throw new AgentUnavailableError(`nothing inside ${guest.id} answers`);
  }
}
