import type { Clock } from '../../platform/clock.ts';
import { IncusError } from './client.ts';
import type { Acl } from './firewall.ts';
import { isAbsent } from './hosts.ts';
import type { Members } from './members.ts';

interface StoredAcl extends Acl {
  config: Record<string, string>;
}

const IN_USE = /is in use/;
/** Incus's own copies of a guest, made while it is moved or removed, use the ACL for a moment. */
const TRIES = 10;
const PAUSE_MS = 500;

/**
 * The ACL of each guest, named after its instance. It is created before the instance and deleted after it, and can be
 * changed while the guest is off.
 */
export class Acls {
  readonly #members: Members;
  readonly #project: string;
  readonly #clock: Clock;

  constructor(members: Members, project: string, clock: Clock) {
    this.#members = members;
    this.#project = project;
    this.#clock = clock;
  }

  /** Creates the ACL unless it exists. */
  async make(name: string, acl: Acl): Promise<void> {
    await this.#ask('POST', '', { name, config: {}, ...acl }).catch((error) => {
      if (!/already exists/.test(error.message)) throw error;
    });
  }

  /** Replaces the rules, effective immediately. */
  async put(name: string, acl: Acl): Promise<void> {
    const { config } = await this.#read(name);
    await this.#ask('PUT', name, { config, ...acl });
  }

  /**
   * Succeeds if the ACL does not exist. Also succeeds, and leaves the ACL in place, if another instance still uses it,
   * such as a copy of the guest.
   */
  async remove(name: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#ask('DELETE', name);
        return;
      } catch (error) {
        if (!(error instanceof IncusError)) throw error;
        const isInUse = IN_USE.test(error.message);
        const isGone = isAbsent(error) && !(await this.#isThere(name));
        if (isGone || (isInUse && tries === TRIES)) return;
        if (tries === TRIES || !(isInUse || isAbsent(error))) throw error;
        await this.#clock.sleep(PAUSE_MS);
      }
    }
  }

  /**
   * Needed because Incus first reads all ACLs: if several are deleted at once, it may report one as absent when it is
   * another that is.
   */
  async #isThere(name: string): Promise<boolean> {
    try {
      await this.#read(name);
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  async note(name: string, key: string): Promise<string | undefined> {
    return (await this.#read(name)).config[key];
  }

  async setNote(name: string, key: string, text: string | undefined): Promise<void> {
    const { ingress, egress, config } = await this.#read(name);
    const { [key]: _, ...others } = config;
    const next = text === undefined ? others : { ...others, [key]: text };
    await this.#ask('PUT', name, { ingress, egress, config: next });
  }

  async #read(name: string): Promise<StoredAcl> {
    return (await this.#ask('GET', name)).metadata;
  }

  #ask(method: string, name: string, body?: unknown) {
    const path = `/1.0/network-acls${name && `/${name}`}?project=${this.#project}`;
    return this.#members.any(method, path, body);
  }
}
