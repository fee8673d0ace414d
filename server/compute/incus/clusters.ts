import { within } from '../../platform/within.ts';
import {
  CapacityError,
  type ClusterState,
  type ComputeDriver,
  ComputeUnavailableError,
  type DriverReport,
  type EngineWants,
  type GuestEvent,
  type GuestSight,
  type HostInfo,
  type NewCluster,
} from '../driver.ts';
import { GuestEvents } from '../guest-events.ts';
import type { Cluster, Said } from './cluster.ts';
import { guestMethods } from './guest-methods.ts';
import { lostHost, type Region, Regions } from './regions.ts';
import { Roster, type RosterParts } from './roster.ts';

/** Time limit for a single cluster to list its hosts: if it hangs, every member would otherwise be waited for in turn. */
const HOSTS_MS = 10_000;
const noAnswer = () =>
  new ComputeUnavailableError(`the cluster did not list its hosts within ${HOSTS_MS / 1000} s`);

export interface ClustersParts extends RosterParts {
  regions: readonly Region[];
  /**
   * Returns the cluster's id without its engine's name; undefined if it has none or does not reveal it. Does not assign
   * one.
   */
  idOf(cluster: NewCluster): Promise<string | undefined>;
}

/**
 * Creates one driver for the cluster of the settings and those that an operator adds, each for one region. Calls about
 * a guest go to the cluster of its host. All clusters are listed and watched together. A cluster that does not answer
 * affects only its own region: its recorded hosts are reported as unreachable and its guests as unknown. Guests cannot
 * move between clusters.
 */
export function createClusters(parts: ClustersParts): ComputeDriver {
  const clusters = new Clusters(parts);
  return Object.assign(
    clusters,
    guestMethods((id) => clusters.of(id)),
  );
}

type Method<M extends keyof ComputeDriver> = ComputeDriver[M];
type Sights = [HostInfo[], Pick<GuestSight, 'hostId'>[]];

class Clusters {
  readonly name: string;
  readonly #parts: ClustersParts;
  readonly #regions: Regions;
  readonly #first: ComputeDriver;
  readonly #roster: Roster;
  readonly #events = new GuestEvents();
  #isWatched = false;

  constructor(parts: ClustersParts) {
    this.#parts = parts;
    this.#first = parts.first.driver;
    this.name = this.#first.name;
    this.#regions = new Regions(parts.regions);
    this.#roster = new Roster(parts, (driver) => {
      if (this.#isWatched) this.#hear(driver);
    });
  }

  get clusters() {
    return {
      examine: (cluster: NewCluster, wants: EngineWants) => this.#examine(cluster, wants),
      list: () => this.#states(),
      changed: () => this.#roster.changed(),
    };
  }

  place(): Promise<string | null> {
    return this.#roster.place();
  }

  capabilities() {
    return this.#first.capabilities();
  }

  /** Healthy if at least one cluster can create guests. */
  async probe(): Promise<DriverReport> {
    let all: Cluster[] | undefined;
    try {
      all = await this.#roster.several();
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
    if (!all) return this.#first.probe();
    const ask = (cluster: Cluster) =>
      cluster.askSoon(async (driver) => {
        const { ok, summary } = await driver.probe();
        if (!ok) throw new ComputeUnavailableError(summary);
        return summary;
      });
    const answers = await Promise.all(all.map(ask));
    const summaries = all.map((cluster, index) => {
      const summary = answers[index]?.said ?? cluster.refusal().message;
      return cluster.region === null ? summary : `${cluster.region}: ${summary}`;
    });
    return { ok: answers.some(Boolean), summary: summaries.join('; ') };
  }

  async hosts(): Promise<HostInfo[]> {
    const all = await this.#roster.several();
    if (!all) return within(this.#parts.clock, HOSTS_MS, this.#first.hosts(), noAnswer);
    const answers = await askAll(all, (cluster) => cluster.askSoon((driver) => driver.hosts()));
    const each = all.map(async (cluster, index) => {
      const answer = answers[index];
      if (answer) return answer.said.map((host) => this.#regions.shown(host, cluster, all));
      const recorded = await this.#parts.store.hostsIn(cluster.id);
      return recorded.map((record) => this.#regions.narrowed(lostHost(record), cluster, all));
    });
    return (await Promise.all(each)).flat();
  }

  async list() {
    const all = await this.#roster.several();
    if (!all) return this.#first.list();
    const answers = await askAll(all, (cluster) => cluster.ask((driver) => driver.list()));
    const each = all.map(async ({ id }, index) => {
      const answer = answers[index];
      if (answer) return answer.said;
      const recorded = await this.#parts.store.guestsIn(id);
      return recorded.map((guest) => ({ ...guest, power: 'unknown' as const }));
    });
    return (await Promise.all(each)).flat();
  }

  readonly sample: Method<'sample'> = async (ids) => {
    const all = await this.#roster.several();
    if (!all) return this.#first.sample(ids);
    const places = await this.#parts.store.hostsOf(ids);
    const groups = [...Map.groupBy(ids, (id) => clusterOf(all, places.get(id)) ?? all[0]!)];
    const answers = await Promise.all(
      groups.map(([cluster, own]) => cluster.ask((driver) => driver.sample(own))),
    );
    if (groups.length > 0 && !answers.some(Boolean)) throw groups[0]![0].refusal();
    return answers.flatMap((answer) => answer?.said ?? []);
  };

  async findTemplate(code: string, region?: string) {
    const all = await this.#roster.several();
    if (!all) return this.#first.findTemplate(code);
    const own = all.find((cluster) => cluster.region === region) ?? all[0]!;
    const asked = region === undefined ? all : [own];
    const ask = (cluster: Cluster) => cluster.askSoon((driver) => driver.findTemplate(code));
    const answers = await Promise.all(asked.map(ask));
    const found = answers.find((answer) => answer?.said)?.said;
    const silent = asked.find((_, index) => !answers[index]);
    if (!found && silent) throw silent.refusal();
    return found;
  }

  /**
   * Another node may have sold the VM before it learned that its region now has its own cluster. The guest could never
   * be moved there later.
   */
  readonly create: Method<'create'> = async (spec) => {
    const all = await this.#roster.several();
    if (!all) return this.#first.create(spec);
    const cluster = clusterWith(all, spec.hostId);
    if (!this.#regions.of(cluster.region, all).includes(spec.region))
      throw new CapacityError(`host ${spec.hostId} no longer serves region ${spec.region}`);
    return (await cluster.same()).create(spec);
  };
  readonly rebuild: Method<'rebuild'> = async (spec, rebuildId) =>
    (await this.#at(spec.hostId)).rebuild(spec, rebuildId);
  readonly move: Method<'move'> = async (id, to, how, signal) => {
    const [from, target] = [await this.of(id), await this.#at(to.hostId)];
    if (from !== target) throw new Error('guests cannot move from one cluster to another');
    return target.move(id, to, how, signal);
  };

  /** Item names of clusters other than that of the settings begin with their region. */
  readonly check = async (wants: EngineWants) => {
    const all = await this.#roster.several();
    if (!all) return (await this.#first.check?.(wants)) ?? [];
    const each = all.map(async (cluster) => {
      const { region, driver } = cluster;
      const own = this.#regions.wantsOf(wants, region, all);
      const findings = (await driver.check?.(own)) ?? [];
      return region === null
        ? findings
        : findings.map((finding) => ({ ...finding, what: `${region}: ${finding.what}` }));
    });
    return (await Promise.all(each)).flat();
  };

  watch(listener: (event: GuestEvent) => void): () => void {
    if (!this.#isWatched) {
      this.#isWatched = true;
      for (const driver of this.#roster.drivers) this.#hear(driver);
    }
    return this.#events.watch(listener);
  }

  async close(): Promise<void> {
    await this.#roster.close();
    this.#events.close();
  }

  /** Returns the driver of the cluster that has the guest, or may have it. */
  async of(id: string): Promise<ComputeDriver> {
    const all = await this.#roster.several();
    if (!all) return this.#first;
    const host = (await this.#parts.store.hostsOf([id])).get(id);
    if (host !== undefined) return clusterWith(all, host).same();
    // No VM has this guest, so it may be on any cluster; throws if one of them does not answer.
    for (const cluster of all) if (await (await cluster.same()).inspect(id)) return cluster.driver;
    return this.#first;
  }

  async #at(hostId: string): Promise<ComputeDriver> {
    const all = await this.#roster.several();
    return all ? clusterWith(all, hostId).same() : this.#first;
  }

  #hear(driver: ComputeDriver): void {
    driver.watch((event) => this.#events.emit(event));
  }

  async #examine(wanted: NewCluster, wants: EngineWants) {
    const { open, idOf } = this.#parts;
    const driver = open(wanted);
    try {
      const found = await idOf(wanted).catch(() => undefined);
      const findings = (await driver.check?.(this.#regions.wantsOf(wants, wanted.region))) ?? [];
      const isWhole = findings.every(({ state }) => state !== 'missing');
      const place = isWhole ? await driver.place() : found;
      return { id: place == null ? undefined : `${this.name}:${place}`, findings };
    } finally {
      await driver.close();
    }
  }

  /** Clusters that do not answer are shown as recorded: that is when an operator needs to see them. */
  async #states(): Promise<ClusterState[]> {
    const all = await this.#roster.several();
    const shown = all ?? [
      { id: `${this.name}:${await this.place()}`, region: null, endpoints: this.#parts.first.endpoints },
    ];
    const [hosts, guests] = await this.#seen().catch((error) => this.#recorded(shown, error));
    // Does not wait a second time for a cluster that has already missed its time limit.
    const reports = all ? await Promise.all(all.map(reportOf)) : [await this.#onlyReport()];
    return shown.map(({ id, region, endpoints }, index) => {
      const isOwn = (hostId: string) => hostId.startsWith(`${id}:`);
      const own = hosts.filter((host) => isOwn(host.id));
      const up = own.filter(({ reachable }) => reachable).length;
      return {
        id,
        regions: this.#regions.of(region, all ?? []),
        endpoints,
        reachable: up > 0,
        report: reports[index]!,
        members: { up, total: own.length },
        guests: guests.filter(({ hostId }) => isOwn(hostId)).length,
      };
    });
  }

  async #seen(): Promise<Sights> {
    return [await this.hosts(), await this.list()];
  }

  async #recorded(clusters: readonly { id: string }[], error: Error): Promise<Sights> {
    if (!(error instanceof ComputeUnavailableError)) throw error;
    const { store } = this.#parts;
    const hosts = await Promise.all(clusters.map(({ id }) => store.hostsIn(id)));
    const guests = await Promise.all(clusters.map(({ id }) => store.guestsIn(id)));
    return [hosts.flat().map(lostHost), guests.flat()];
  }

  #onlyReport(): Promise<DriverReport> {
    return within(this.#parts.clock, HOSTS_MS, this.#first.probe(), noAnswer).catch((error: Error) => {
      return { ok: false, summary: error.message };
    });
  }
}

/** Returns the cluster's own report. A bad report does not make the cluster count as unreachable: its guests still run. */
async function reportOf(cluster: Cluster): Promise<DriverReport> {
  const answer = await cluster.askSoon((driver) => driver.probe());
  return answer?.said ?? { ok: false, summary: cluster.refusal().message };
}

/** Throws if no cluster answers. */
async function askAll<T>(
  all: Cluster[],
  ask: (cluster: Cluster) => Promise<Said<T> | undefined>,
): Promise<(Said<T> | undefined)[]> {
  const answers = await Promise.all(all.map(ask));
  if (!answers.some(Boolean)) throw all[0]!.refusal();
  return answers;
}

function clusterOf(all: readonly Cluster[], hostId: string | undefined): Cluster | undefined {
  return hostId === undefined ? undefined : all.find((cluster) => cluster.has(hostId));
}

function clusterWith(all: readonly Cluster[], hostId: string): Cluster {
  const found = clusterOf(all, hostId);
  if (found) return found;
  throw new ComputeUnavailableError(`no cluster of this service has the host ${hostId}`);
}
