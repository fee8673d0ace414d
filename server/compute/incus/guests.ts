import { sha512Crypt } from '../../platform/sha512-crypt.ts';
import { ComputeUnavailableError, type GuestSpec, type NetworkPolicy } from '../driver.ts';
import type { Acls } from './acls.ts';
import { asCapacity, converge } from './converge.ts';
import { type Acl, alwaysPassing, compileFirewall } from './firewall.ts';
import type { Hosts } from './hosts.ts';
import { needImage } from './images.ts';
import { type Instance, isOn, KEYS, nameOf } from './instance.ts';
import type { Instances } from './instances.ts';
import type { Members } from './members.ts';
import type { IncusOptions } from './options.ts';
import type { Power } from './power.ts';
import { newInstance } from './specification.ts';

export interface GuestsParts {
  options: IncusOptions;
  members: Members;
  instances: Instances;
  acls: Acls;
  hosts: Hosts;
  power: Pick<Power, 'off'>;
}

/** The policy of a guest without rules: nothing comes in. */
const CLOSED: NetworkPolicy = { defaultIn: 'drop', defaultOut: 'accept', firewall: [], portForwards: [] };

/** Creates, changes and removes the parts of a guest: its instance and its ACL. */
export class Guests {
  readonly #parts: GuestsParts;

  constructor(parts: GuestsParts) {
    this.#parts = parts;
  }

  /**
   * Creates a guest unless it exists completely. `config` adds configuration; `card` sets the limits of another guest's
   * network card.
   */
  async make(
    spec: GuestSpec,
    config: Record<string, string> = {},
    card?: Record<string, string>,
  ): Promise<void> {
    const { options, members, instances, acls, hosts } = this.#parts;
    const { id } = spec;
    const name = nameOf(id);
    const found = await instances.find(name);
    if (found?.config[KEYS.made]) return;
    const image = await needImage(members, options.project, options.aliasOf(spec.template));
    const member = await hosts.memberOf(spec.hostId);
    await hosts.requireRoom(member, spec, name);
    if (found) await this.drop(id, name);
    await acls.make(name, this.aclOf(CLOSED, spec.addresses));
    const passwordHash = spec.password === undefined ? undefined : await sha512Crypt(spec.password);
    const body = newInstance(spec, options, { ...image, passwordHash }, { config, card });
    const path = instances.path('', { target: member }).replace('/?', '?');
    await members.work(member, 'POST', path, body).catch((error) => {
      throw asCapacity(error);
    });
    await this.change({ name, location: member }, { [KEYS.made]: 'true' });
  }

  /** Removes an instance, even a running one. */
  async drop(id: string, name: string): Promise<void> {
    const { options, instances, power } = this.#parts;
    const find = () => instances.find(name);
    await converge(options.clock, {
      look: find,
      isDone: (now) => now === undefined,
      step: async (now) => {
        if (isOn(now!) !== false) await power.off(id, find);
        await instances.work(now!, 'DELETE');
      },
    });
  }

  /** Changes an instance, retrying while it is busy. */
  async change(
    instance: Pick<Instance, 'name' | 'location'>,
    config: Record<string, string>,
    devices?: Instance['devices'],
  ): Promise<void> {
    const { options, instances } = this.#parts;
    let isDone = false;
    await converge(options.clock, {
      look: async () => isDone,
      isDone: Boolean,
      step: async () => {
        await instances.change(instance, { config, ...(devices && { devices }) });
        isDone = true;
      },
    });
  }

  aclOf(policy: NetworkPolicy, addresses: GuestSpec['addresses']): Acl {
    return compileFirewall(policy, alwaysPassing(this.#parts.options.serviceNetworks, addresses));
  }

  /** Returns the guest's instance. Throws if it does not exist or cannot be seen. */
  readonly need = async (id: string): Promise<Instance> => {
    const instance = await this.#parts.instances.find(nameOf(id));
    if (!instance) throw new Error(`the cluster has no guest ${id}`);
    if (isOn(instance) === undefined) throw new ComputeUnavailableError(`${id} cannot be seen`);
    return instance;
  };
}
