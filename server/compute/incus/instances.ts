import { ComputeUnavailableError } from '../driver.ts';
import { type AskOptions, IncusError, UnansweredError } from './client.ts';
import { type Instance, KEYS } from './instance.ts';
import type { Members } from './members.ts';

/** Error of Incus for the state of a container that is going down; the rest of the instance can still be read. */
const GOING_DOWN = /Invalid PID|not running/;

/** The instances of the service's project. */
export class Instances {
  readonly #members: Members;
  readonly #project: string;
  /** The member each instance was last seen on. */
  readonly #places = new Map<string, string>();

  constructor(members: Members, project: string) {
    this.#members = members;
    this.#project = project;
  }

  /**
   * Returns an instance with its state and snapshots; undefined only if it certainly does not exist. Throws
   * {@link ComputeUnavailableError} if its member does not answer, and an error if an instance that Vauban has not
   * created has this name.
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

  /** Lists all instances, including those whose member does not answer. */
  async list(): Promise<Instance[]> {
    return this.#read('1');
  }

  async listWithState(): Promise<Instance[]> {
    return this.#read('2');
  }

  /** Starts an operation on an instance at its member and waits for its end. */
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

  /** Sets the given configuration and devices and leaves the rest. */
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
    // An instance that is being removed has null for both.
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
      throw new Error(`the cluster has an instance ${instance.name} that Vauban did not create`);
    return instance;
  }

  #forget(name: string): undefined {
    this.#places.delete(name);
    return undefined;
  }

  /** The cluster's database knows whether the instance exists, even if its member does not answer. */
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
