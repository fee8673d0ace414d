import { ComputeUnavailableError } from '../driver.ts';
import { type AskOptions, IncusError, UnansweredError } from './client.ts';
import { type Instance, KEYS } from './instance.ts';
import type { Members } from './members.ts';

/** What Incus says of the state of a container that is just going down; the rest of the instance can be read all the same. */
const GOING_DOWN = /Invalid PID|not running/;

/** The instances of the service's project. */
export class Instances {
  readonly #members: Members;
  readonly #project: string;
  /** Where each was seen last. */
  readonly #places = new Map<string, string>();

  constructor(members: Members, project: string) {
    this.#members = members;
    this.#project = project;
  }

  /**
   * An instance with its state and snapshots; undefined where there is none for certain. {@link ComputeUnavailableError} where
   * its member does not answer. Throws where the name is that of an instance which is none of ours.
   */
  async find(name: string): Promise<Instance | undefined> {
    try {
      return this.#seen(await this.#readOne(name, this.#places.get(name)));
    } catch (error) {
      if (error instanceof IncusError && error.code === 404) return this.#forget(name);
      if (error instanceof IncusError && error.code !== 500) throw error;
      return this.#unseen(name, error);
    }
  }

  /** All instances, also those whose member does not answer. */
  async list(): Promise<Instance[]> {
    return this.#read('1');
  }

  /** The same with their states. */
  async listWithState(): Promise<Instance[]> {
    return this.#read('2');
  }

  /** Asks for work on an instance by its member, and waits for its end. */
  async work(
    { name, location }: Pick<Instance, 'name' | 'location'>,
    method: string,
    {
      below = '',
      query = {},
      body,
      ...options
    }: { below?: string; query?: Record<string, string>; body?: unknown } & AskOptions = {},
  ): Promise<void> {
    await this.#members.work(location, method, this.path(`${name}${below}`, query), body, options);
  }

  /** Sets configuration and devices, leaving what is not named. */
  change(
    instance: Pick<Instance, 'name' | 'location'>,
    body: { config?: Record<string, string>; devices?: Instance['devices'] },
  ): Promise<void> {
    return this.work(instance, 'PATCH', { body });
  }

  path(rest: string, query: Record<string, string> = {}): string {
    return `/1.0/instances/${rest}?${new URLSearchParams({ project: this.#project, ...query })}`;
  }

  async #read(recursion: string): Promise<Instance[]> {
    const query = new URLSearchParams({ project: this.#project, recursion });
    const found: Instance[] = (await this.#members.any('GET', `/1.0/instances?${query}`)).metadata;
    // One that is just being removed has null for both.
    const all = found.map((each) => ({ ...each, config: each.config ?? {}, devices: each.devices ?? {} }));
    this.#places.clear();
    for (const { name, location } of all) this.#places.set(name, location);
    return all;
  }

  async #readOne(name: string, place: string | undefined): Promise<Instance> {
    const get = async (path: string) =>
      (await (place ? this.#members.at(place, 'GET', path) : this.#members.any('GET', path))).metadata;
    try {
      return await get(this.path(name, { recursion: '1' }));
    } catch (error) {
      if (!(error instanceof IncusError && GOING_DOWN.test(error.message))) throw error;
      const instance = await get(this.path(name));
      return { ...instance, snapshots: await get(this.path(`${name}/snapshots`, { recursion: '1' })) };
    }
  }

  #seen(instance: Instance): Instance {
    this.#places.set(instance.name, instance.location);
    if (instance.config[KEYS.id] === undefined)
      throw new Error(`the cluster has an instance ${instance.name} that Vauban has not made`);
    return instance;
  }

  #forget(name: string): undefined {
    this.#places.delete(name);
    return undefined;
  }

  /** Whether it is there is in the database of the cluster, which answers without its member. */
  async #unseen(name: string, error: unknown): Promise<Instance | undefined> {
    const before = this.#places.get(name);
    const found = (await this.list()).find((each) => each.name === name);
    if (!found) return undefined;
    const isElsewhere = before !== undefined && before !== found.location;
    if (isElsewhere) return this.#seen(await this.#readOne(name, found.location));
    if (error instanceof UnansweredError || error instanceof ComputeUnavailableError) throw error;
    throw new ComputeUnavailableError(`${name} cannot be seen: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
