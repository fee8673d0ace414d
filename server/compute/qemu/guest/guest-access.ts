import type { Duplex } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { KeyedQueue } from '../../../platform/keyed-queue.ts';
import { AgentUnavailableError } from '../../driver.ts';
import { ADD_KEY, REMOVE_KEY } from '../../inside/key-scripts.ts';
import { type GuestKeys, type OpsLogin, runAsRoot, runAsUser } from '../../inside/ops-login.ts';
import { openSsh, SSH_PORT } from '../../inside/ssh.ts';
import type { HostNetwork } from '../network/network.ts';
import type { Guest } from './guest.ts';
import { askAgent } from './guest-agent.ts';
import { connectScreen } from './screen.ts';

export interface GuestAccessParts {
  clock: Clock;
  network: HostNetwork;
  /** The key that every guest authorizes: the fallback for images without a guest agent. */
  opsLogin?: OpsLogin;
}

/** Access to running guests: their screen, their SSH server, and changes inside them. */
export class GuestAccess {
  readonly #parts: GuestAccessParts;
  /** An agent's channel serves one caller at a time. */
  readonly #agents = new KeyedQueue();
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
      throw new Error('a password cannot contain a line break');
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

  /**
   * Uses the agent's command, or otherwise the script. Two scripts must not run at once, because one would undo the
   * other's change.
   */
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

  /** Runs `work` with the guest's file systems frozen if its agent supports that, otherwise without. */
  async frozen<T>(guest: Guest, work: () => Promise<T>): Promise<T> {
    if (!guest.run?.agentOpen) return work();
    this.#freezing.add(guest);
    try {
      // Recorded before the freeze: if the service ended in between, the guest would stay unable to write.
      await this.#note(guest, true);
      await this.#ask(guest, 'guest-fsfreeze-freeze').catch(() => {});
      return await work();
    } finally {
      // Even after a failed freeze, which may have frozen some of the file systems.
      await this.#thaw(guest).catch(() => {});
      this.#freezing.delete(guest);
    }
  }

  /** Thaws guests whose thaw failed, or was never attempted because the service ended. */
  thawForgotten(guests: Guest[]): void {
    for (const guest of guests) {
      if (!guest.record.run?.frozen || !guest.run?.agentOpen || this.#freezing.has(guest)) continue;
      this.#freezing.add(guest);
      // An agent that does not answer is asked again later; it must not delay the other guests.
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
    // If the guest has powered off in the meantime, nothing is frozen.
    if (run) await guest.save({ run: { ...run, frozen } });
  }

  /** Returns whether something inside is known to answer, so that passwords and keys can be set. */
  canChange({ run }: Guest): boolean {
    if (!run || run.ending) return false;
    return run.agentOpen || (run.booted && this.#parts.opsLogin !== undefined);
  }

  /**
   * Returns true if a file exists inside the guest, checked by the agent or otherwise as the default user. Rejects if
   * that is unknown.
   */
  async hasFile(guest: Guest, path: string): Promise<boolean> {
    this.#requirePower(guest);
    if (guest.run?.agentOpen) {
      const open = this.#ask(guest, 'guest-file-open', { path, mode: 'r' });
      // The agent may be configured not to open files.
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

  #opsLogin(guest: Guest): GuestKeys {
    const { opsLogin } = this.#parts;
    if (opsLogin) return () => opsLogin(guest.id);
    throw new AgentUnavailableError(`nothing inside ${guest.id} answers`);
  }
}
