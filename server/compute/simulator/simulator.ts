import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import {
  type ComputeDriver,
  ComputeUnavailableError,
  type DriverCapabilities,
  type DriverReport,
  type EngineTemplate,
  type GuestEvent,
  type GuestSample,
  type GuestSight,
  type GuestSpec,
  type GuestState,
  type GuestVolume,
  type HostInfo,
  type MoveKind,
  type NetworkPolicy,
  type SimulatedOutages,
} from '../driver.ts';
import { diskAt, endRun, hostOf, newGuest } from './guest.ts';
import { sampleAt } from './guest-os/model/guest.ts';
import { hashPassword } from './guest-os/model/password.ts';
import { hogSince, withHog } from './guest-os/system/trouble.ts';
import { bytesInside } from './guest-os/system/usage.ts';
import { LazyGuestAccess } from './lazy-inside.ts';
import { type Faults, Operations } from './operations.ts';
import { askOff, type Pace, powerOn, restart, whenBooted, whenOff } from './power.ts';
import { madeBy, rebuildFinished, rebuildUndone, rebuilt } from './rebuild.ts';
import { has } from './sentinels.ts';
import { sightOf, stateOf } from './sight.ts';
import { resized } from './sizing.ts';
import { dropSnapshot, restoreSnapshot, takeSnapshot } from './snapshots.ts';
import { Stock, type StockOptions } from './stock.ts';
import type { SimulatorStore } from './store.ts';
import { watchGuests } from './watcher.ts';

export interface SimulatorOptions extends StockOptions {
  /** Stores the guests. The simulator never closes it. */
  store: SimulatorStore;
  clock: Clock;
  bootSeconds: number;
  /** Time from the request to power off. */
  shutdownSeconds?: number;
  faults?: Faults;
  /** Support for moving guests between hosts, and the duration of a move. Defaults to live and one second. */
  move?: DriverCapabilities['move'];
  moveSeconds?: number;
}

const DEFAULT_SHUTDOWN_SECONDS = 2;
const DEFAULT_MOVE_SECONDS = 1;

const doNothing = () => {};

/**
 * Creates a driver of simulated guests: real states, waits, readings and failures, but nothing actually runs. See
 * docs/simulator.md.
 */
export function createSimulator(options: SimulatorOptions): ComputeDriver {
  return new Simulator(options);
}

type Method<M extends keyof ComputeDriver> = ComputeDriver[M];

class Simulator implements ComputeDriver {
  readonly name = 'simulator';
  readonly resize: Method<'resize'> = async (id, size) => {
    const guest = await this.#operations.read(id);
    if (guest) await this.#stock.requireRoom(hostOf(guest), id, size);
    await this.#operations.change('resize', id, resized(id, size));
  };
  readonly createSnapshot: Method<'createSnapshot'> = (id, snapshotId) =>
    this.#operations.change('createSnapshot', id, takeSnapshot(id, snapshotId));
  readonly deleteSnapshot: Method<'deleteSnapshot'> = (id, snapshotId) =>
    this.#operations.change('deleteSnapshot', id, dropSnapshot(snapshotId), doNothing);
  readonly restoreSnapshot: Method<'restoreSnapshot'> = (id, snapshotId) =>
    this.#operations.change('restoreSnapshot', id, restoreSnapshot(id, snapshotId));
  readonly rebuild: Method<'rebuild'> = async (spec, rebuildId) => {
    this.#stock.requireTemplate(spec.template);
    await this.#operations.make('rebuild', spec.id, madeBy(spec, rebuildId), rebuilt(spec, rebuildId));
  };
  readonly finishRebuild: Method<'finishRebuild'> = (id, rebuildId) =>
    this.#operations.change('finishRebuild', id, rebuildFinished(rebuildId), doNothing);
  readonly #store: SimulatorStore;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #stock: Stock;
  readonly #move: { kind: DriverCapabilities['move']; ms: number };
  readonly #operations: Operations;
  readonly #inside: LazyGuestAccess;
  readonly #watchers = new Set<Promise<void>>();

  constructor(options: SimulatorOptions) {
    const { store, clock, bootSeconds, shutdownSeconds = DEFAULT_SHUTDOWN_SECONDS } = options;
    this.#store = store;
    this.#clock = clock;
    this.#pace = { bootMs: bootSeconds * 1000, shutdownMs: shutdownSeconds * 1000 };
    this.#stock = new Stock(store, options);
    const { move = 'live', moveSeconds = DEFAULT_MOVE_SECONDS } = options;
    this.#move = { kind: move, ms: moveSeconds * 1000 };
    const faults = options.faults ?? doNothing;
    this.#operations = new Operations({ store, clock, stock: this.#stock, faults });
    this.#inside = new LazyGuestAccess(store, clock);
  }

  async probe(): Promise<DriverReport> {
    try {
      const count = await this.#store.countGuests();
      return { ok: true, summary: `simulator: ${count} guests, a boot takes ${this.#pace.bootMs / 1000} s` };
    } catch (error) {
      return { ok: false, summary: `simulator: guests cannot be read: ${error}` };
    }
  }

  async place(): Promise<null> {
    return null;
  }

  capabilities(): DriverCapabilities {
    const { kind: move } = this.#move;
    return { move, reach: 'every_node', screen: 'rfb', portForwards: true, refusedProtocols: [] };
  }

  async move(id: string, { hostId }: { hostId: string }, how: MoveKind, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { kind, ms } = this.#move;
    if (kind === 'none') throw new Error('this engine does not move guests');
    const isThere = await this.#operations.change('move', id, (guest) => {
      if (how === 'cold' && guest.run) throw new Error(`${id} must be off to be moved`);
      return hostOf(guest) === hostId;
    });
    if (isThere) return;
    if (ms > 0) await this.#clock.sleep(ms, signal);
    // Until here, the guest stays on its old host, whatever happens.
    const guest = await this.#operations.read(id);
    this.#stock.requireReachable({ host: hostId }, await this.#store.lostHosts());
    if (guest) await this.#stock.requireRoom(hostId, id, guest);
    await this.#operations.change('move', id, (moved) => {
      moved.host = hostId;
    });
  }

  async moveKind(id: string): Promise<MoveKind> {
    const guest = await this.#operations.read(id);
    const isLive = this.#move.kind === 'live' && guest?.run && !has(guest.hostname, 'movesCold');
    return isLive ? 'live' : 'cold';
  }

  hosts(): Promise<HostInfo[]> {
    return this.#stock.hosts();
  }

  readonly outages: SimulatedOutages = {
    lose: (hostId) => this.#store.setLost(hostId, true),
    find: (hostId) => this.#store.setLost(hostId, false),
  };

  async findTemplate(code: string): Promise<EngineTemplate | undefined> {
    return this.#stock.findTemplate(code);
  }

  async create(spec: GuestSpec): Promise<void> {
    const { id, hostname } = spec;
    if (has(hostname, 'unavailable'))
      throw new ComputeUnavailableError(`${hostname} makes the engine unavailable`);
    this.#stock.requireTemplate(spec.template);
    this.#stock.requireReachable({ host: spec.hostId }, await this.#store.lostHosts());
    await this.#stock.requireRoom(spec.hostId, id, spec);
    await this.#operations.make('create', id, newGuest(spec));
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const isUp = await this.#operations.change('start', id, (guest, now) => {
      powerOn(guest, now, this.#pace);
      return whenBooted(id, guest, now) <= now;
    });
    if (isUp) return;
    await this.#operations.wait(id, (guest, now) => whenBooted(id, guest, now), signal);
  }

  async shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const deadline = await this.#operations.change('shutdown', id, (guest, now) => {
      const latest = now + timeoutSeconds * 1000;
      askOff(guest, now, latest, this.#pace);
      return latest;
    });
    await this.#operations.wait(id, (guest, now) => whenOff(id, guest, now, deadline), signal);
    await this.#inside.look();
  }

  async powerOff(id: string): Promise<void> {
    await this.#operations.change('powerOff', id, (guest, now) => endRun(id, guest, now), doNothing);
    await this.#inside.look();
  }

  async reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#operations.change('reboot', id, (guest, now) =>
      restart(guest, now, timeoutSeconds * 1000, this.#pace),
    );
    await this.#operations.wait(id, (guest, now) => whenBooted(id, guest, now), signal);
  }

  async remove(id: string): Promise<void> {
    await this.#operations.change('remove', id, doNothing, doNothing);
    await this.#store.deleteGuest(id);
    await this.#inside.look();
  }

  async setPassword(id: string, username: string, password: string): Promise<void> {
    const hash = hashPassword(password);
    await this.#operations.changeInside('setPassword', id, (guest) => {
      guest.passwords[username] = hash;
    });
  }

  async authorizeKey(id: string, publicKey: string): Promise<void> {
    await this.#operations.changeInside('authorizeKey', id, (guest) => {
      if (!guest.authorizedKeys.includes(publicKey)) guest.authorizedKeys.push(publicKey);
    });
  }

  async revokeKey(id: string, publicKey: string): Promise<void> {
    await this.#operations.changeInside('revokeKey', id, (guest) => {
      guest.authorizedKeys = guest.authorizedKeys.filter((key) => key !== publicKey);
    });
  }

  async undoRebuild(id: string, rebuildId: string): Promise<void> {
    const outcome = await this.#operations.change(
      'undoRebuild',
      id,
      rebuildUndone(id, rebuildId),
      () => 'kept' as const,
    );
    if (outcome === 'unmade') await this.#store.deleteGuest(id);
  }

  async applyNetwork(id: string, policy: NetworkPolicy): Promise<void> {
    await this.#operations.change('applyNetwork', id, (guest) => {
      guest.network = policy;
    });
  }

  async inspect(id: string): Promise<GuestState | undefined> {
    const guest = await this.#operations.read(id);
    return guest && stateOf(id, guest, this.#now());
  }

  async list(): Promise<GuestSight[]> {
    const lost = await this.#store.lostHosts();
    const now = this.#now();
    return (await this.#store.glances()).map((guest) =>
      sightOf(guest, this.#stock.isReachable(guest, lost), now),
    );
  }

  async sample(ids: string[]): Promise<GuestSample[]> {
    const guests = await this.#store.meteredGuests(ids);
    const now = this.#now();
    return guests.flatMap((guest) => {
      const sample = sampleAt(guest.id, guest, now);
      if (!sample) return [];
      const hog = hogSince(guest, guest.units);
      return [{ ...sample, ramUsedBytes: withHog(sample.ramUsedBytes, guest.ramMb, hog, now) }];
    });
  }

  async volumes(id: string): Promise<GuestVolume[]> {
    const guest = await this.#operations.read(id);
    if (!guest) return [];
    const disk = diskAt(id, guest, this.#now());
    const written = disk.usedBytes + (await bytesInside(this.#store.insides, id, guest));
    return [{ ...disk, usedBytes: Math.min(written, guest.diskGb * 1_000_000_000) }];
  }

  async openVnc(id: string): Promise<Duplex> {
    await this.#operations.read(id);
    return this.#inside.openVnc(id);
  }

  async openSsh(id: string): Promise<Duplex> {
    await this.#operations.read(id);
    return this.#inside.openSsh(id);
  }

  watch(listener: (event: GuestEvent) => void): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#operations.closing]);
    const watcher = watchGuests(this.#store, this.#clock, listener, signal);
    this.#watchers.add(watcher);
    watcher.finally(() => this.#watchers.delete(watcher));
    return () => stopping.abort();
  }

  async close(): Promise<void> {
    this.#operations.close();
    await Promise.all([this.#inside.close(), ...this.#watchers]);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
