import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { AgentUnavailableError } from '../driver.ts';
import { greeted } from './banner.ts';
import type { Guest } from './guest.ts';
import { askAgent } from './guest-agent.ts';
import type { HostNetwork } from './network.ts';
import { type OpsLogin, runAsRoot, runAsUser } from './ops-login.ts';
import { connectScreen } from './screen.ts';
import { Locks } from './waiting.ts';

const SSH_PORT = 22;
/** A server under load may take its time; a person waits no longer. */
const GREETING_MS = 10_000;

/** Appends a line to the user's own authorized_keys unless it is there; the line comes by standard input. */
const ADD_KEY = [
  'umask 077; mkdir -p ~/.ssh; IFS= read -r key',
  'grep -qxF "$key" ~/.ssh/authorized_keys 2>/dev/null || printf "%s\\n" "$key" >> ~/.ssh/authorized_keys',
].join('; ');

export interface InsideParts {
  clock: Clock;
  network: HostNetwork;
  /** The key that every guest authorizes; the second way in, where an image has no guest agent. */
  opsLogin?: OpsLogin;
}

/** The insides of running guests: their screen, their SSH server, and what is changed in them. */
export class Inside {
  readonly #parts: InsideParts;
  /** The channel of an agent serves one caller at a time. */
  readonly #agents = new Locks();

  constructor(parts: InsideParts) {
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
    try {
      return await greeted(clock, await network.connect(guest.networkGuest, SSH_PORT), GREETING_MS);
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      throw new AgentUnavailableError(`nothing answers on port 22 of ${guest.id}: ${reason}`);
    }
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
    this.#requirePower(guest);
    const { user } = guest.record;
    if (guest.run?.agentOpen) {
      await this.#ask(guest, 'guest-ssh-add-authorized-keys', { username: user, keys: [publicKey.trim()] });
    } else {
      const login = this.#opsLogin(guest);
      await runAsUser(await this.openSsh(guest), user, login, ADD_KEY, `${publicKey.trim()}\n`);
    }
  }

  /** Runs `work` while the guest's file systems stand still, where its agent can do that; in any case it runs. */
  async frozen<T>(guest: Guest, work: () => Promise<T>): Promise<T> {
    if (!guest.run?.agentOpen) return work();
    try {
      await this.#ask(guest, 'guest-fsfreeze-freeze').catch(() => {});
      return await work();
    } finally {
      // Also after a freeze that failed: it may have come as far as some of them.
      await this.#ask(guest, 'guest-fsfreeze-thaw').catch(() => {});
    }
  }

  /** Something inside answers, so that passwords and keys can be set. */
  canChange(guest: Guest): boolean {
    return guest.run?.booted === true && (guest.run.agentOpen || this.#parts.opsLogin !== undefined);
  }

  #ask(guest: Guest, command: string, args?: Record<string, unknown>): Promise<unknown> {
    return this.#agents.run(guest.id, () => askAgent(this.#parts.clock, guest.file('agent'), command, args));
  }

  #requirePower(guest: Guest): void {
    if (!guest.run || guest.run.ending) throw new AgentUnavailableError(`${guest.id} is off`);
  }

  #opsLogin(guest: Guest): OpsLogin {
    if (this.#parts.opsLogin) return this.#parts.opsLogin;
    throw new AgentUnavailableError(`nothing inside ${guest.id} answers`);
  }
}
