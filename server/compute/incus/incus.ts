import { KeyedQueue } from '../../platform/keyed-queue.ts';
import {
  type ComputeDriver,
  ComputeUnavailableError,
  DiskShrinkError,
  type DriverCapabilities,
  type EngineWants,
  type GuestEvent,
  type GuestSpec,
  type GuestState,
  type NetworkPolicy,
  PolicyRefusedError,
} from '../driver.ts';
import { GuestEvents } from '../guest-events.ts';
import { Acls } from './acls.ts';
import { Boots } from './boots.ts';
import { checkCluster } from './check.ts';
import { EventStream } from './event-stream.ts';
import { REFUSED_PROTOCOLS } from './firewall.ts';
import { GuestSockets } from './guest-sockets.ts';
import { Guests } from './guests.ts';
import { Hosts } from './hosts.ts';
import { findImage } from './images.ts';
import { Inside } from './inside.ts';
import {
  addressesOf,
  asideNameOf,
  type Instance,
  idOf,
  isGuest,
  isOn,
  nameOf,
  powerOf,
  runOf,
  sizeOf,
} from './instance.ts';
import { Instances } from './instances.ts';
import { Members } from './members.ts';
import { kindOfMove, moveGuest } from './move.ts';
import type { IncusOptions } from './options.ts';
import { Power, requireOff } from './power.ts';
import { probeCluster } from './probe.ts';
import { readSamples } from './readings.ts';
import { finishRebuild, rebuildGuest, undoRebuild } from './rebuild.ts';
import { GuestScreens } from './screens/guest-screens.ts';
import { dropSnapshot, mendRestore, restoreSnapshot, takeSnapshot } from './snapshots.ts';
import { isSameCard, limited, limitsOf, rootDisk } from './specification.ts';

/** Creates the driver for guests on the members of an Incus cluster. See docs/incus.md. */
export function createIncus(options: IncusOptions): ComputeDriver {
  return new Incus(options);
}

type Method<M extends keyof ComputeDriver> = ComputeDriver[M];

class Incus implements ComputeDriver {
  readonly name = 'incus';
  readonly #options: IncusOptions;
  readonly #members: Members;
  readonly #instances: Instances;
  readonly #acls: Acls;
  readonly #hosts: Hosts;
  readonly #power: Power;
  readonly #guests: Guests;
  readonly #inside: Inside;
  readonly #boots: Boots;
  readonly #stream: EventStream;
  readonly #events = new GuestEvents();
  readonly #sockets = new GuestSockets();
  readonly #screens: GuestScreens;
  /** Held while a guest is altered, but never while waiting for it to boot or power off. */
  readonly #locks = new KeyedQueue();
  /**
   * Held while a guest's rules change and while it is asked to power off. If the rules of a card change just as Incus
   * takes it down, its routes stay on the member. Nothing removes them there, and the next start fails because it
   * cannot create them.
   */
  readonly #cards = new KeyedQueue();
  readonly #closing = new AbortController();

  constructor(options: IncusOptions) {
    const { clock, logger, project } = options;
    this.#options = options;
    const members = new Members(options);
    const instances = new Instances(members, project);
    const ended = (id: string, isAsked = false) => this.#ended(id, isAsked);
    const sockets = this.#sockets;
    const events = this.#events;
    this.#members = members;
    this.#instances = instances;
    this.#acls = new Acls(members, project, clock);
    this.#hosts = new Hosts({ ...options, members, instances });
    this.#inside = new Inside({ ...options, sockets });
    this.#screens = new GuestScreens({ clock, logger, members, instances });
    const closed = this.#closing.signal;
    const need = (id: string) => this.#guests.need(id);
    this.#power = new Power({ clock, instances, need, ended, closed });
    const [acls, hosts, power] = [this.#acls, this.#hosts, this.#power];
    this.#guests = new Guests({ options, members, instances, acls, hosts, power });
    this.#boots = new Boots({ clock, inside: this.#inside, events, note: (...note) => this.#note(...note) });
    const seen = (instance: Instance) => this.#isOn(instance);
    this.#stream = new EventStream({ clock, logger, members, instances, project, events, ended, seen });
  }

  readonly place = () => this.#hosts.cluster();
  readonly hosts = () => this.#hosts.all();
  readonly probe = () => probeCluster(this.#members, this.#options);
  readonly check = (wants: EngineWants) =>
    checkCluster({ ...this.#options, members: this.#members, instances: this.#instances }, wants);

  capabilities(): DriverCapabilities {
    return {
      move: 'live',
      reach: 'every_node',
      screen: 'rfb',
      portForwards: false,
      refusedProtocols: REFUSED_PROTOCOLS,
    };
  }

  async findTemplate(code: string) {
    const image = await findImage(this.#members, this.#options.project, this.#options.aliasOf(code));
    return image && { minDiskGb: image.minDiskGb };
  }

  readonly create: Method<'create'> = (spec) => this.#alone(spec.id, () => this.#guests.make(spec));

  async start(id: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#alone(id, () => this.#on(id));
  }

  async shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#cards.run(id, () => this.#power.shutDown(id, timeoutSeconds, signal));
  }

  async powerOff(id: string): Promise<void> {
    await this.#alone(id, () => this.#power.off(id, () => this.#instances.find(nameOf(id))));
  }

  async reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const instance = await this.#guests.need(id);
    const again = isOn(instance)
      ? await this.#screens.over(id, () =>
          this.#cards.run(id, () => this.#power.restart(id, timeoutSeconds, signal)),
        )
      : await this.#alone(id, () => this.#on(id));
    this.#isOn(again);
  }

  readonly remove: Method<'remove'> = (id) =>
    this.#alone(id, async () => {
      await this.#guests.drop(id, asideNameOf(id));
      await this.#guests.drop(id, nameOf(id));
      this.#ended(id);
      await this.#acls.remove(nameOf(id));
    });

  readonly resize: Method<'resize'> = (id, size) =>
    this.#alone(id, async () => {
      await mendRestore(this.#snapshotParts, id);
      const instance = await this.#guests.need(id);
      requireOff(instance, 'resized');
      const { diskGb } = sizeOf(instance);
      if (size.diskGb < diskGb)
        throw new DiskShrinkError(`the disk of ${id} has ${diskGb} GB and cannot shrink to ${size.diskGb}`);
      await this.#hosts.requireRoom(instance.location, size, instance.name);
      await this.#guests.change(instance, limitsOf(size), { root: rootDisk(size, this.#options) });
    });

  readonly move: Method<'move'> = (id, { hostId }, how, signal) =>
    this.#alone(id, async () => {
      signal?.throwIfAborted();
      const target = await this.#hosts.memberOf(hostId);
      const parts = {
        ...this.#snapshotParts,
        hosts: this.#hosts,
        guests: this.#guests,
        answers: (instance: Instance) => this.#boots.answers(instance, signal ?? this.#closing.signal),
        off: () => this.#power.off(id, () => this.#instances.find(nameOf(id))),
        on: () => this.#on(id),
        events: this.#events,
      };
      await moveGuest(parts, id, { target, how, signal });
    });

  readonly moveKind: Method<'moveKind'> = async (id) => kindOfMove(await this.#guests.need(id));

  readonly setPassword: Method<'setPassword'> = async (id, username, password) =>
    this.#inside.setPassword(await this.#guests.need(id), username, password);
  readonly authorizeKey: Method<'authorizeKey'> = async (id, publicKey) =>
    this.#inside.authorizeKey(await this.#guests.need(id), publicKey);
  readonly revokeKey: Method<'revokeKey'> = async (id, publicKey) =>
    this.#inside.revokeKey(await this.#guests.need(id), publicKey);

  readonly createSnapshot: Method<'createSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () => takeSnapshot(this.#snapshotParts, id, snapshotId));
  readonly deleteSnapshot: Method<'deleteSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () =>
      dropSnapshot(this.#snapshotParts, () => this.#instances.find(nameOf(id)), snapshotId),
    );
  readonly restoreSnapshot: Method<'restoreSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () => restoreSnapshot(this.#snapshotParts, id, snapshotId));

  readonly rebuild: Method<'rebuild'> = (spec, rebuildId) =>
    this.#alone(spec.id, () => rebuildGuest(this.#rebuildParts(spec.id, spec), spec.id, rebuildId));
  readonly finishRebuild: Method<'finishRebuild'> = (id, rebuildId) =>
    this.#alone(id, () => finishRebuild(this.#rebuildParts(id), id, rebuildId));

  async undoRebuild(id: string, rebuildId: string): Promise<void> {
    const kept = await this.#alone(id, () => undoRebuild(this.#rebuildParts(id), id, rebuildId));
    if (!kept) await this.remove(id);
  }

  readonly applyNetwork: Method<'applyNetwork'> = (id, policy) =>
    this.#cards.run(id, () => this.#alone(id, () => this.#putNetwork(id, policy)));

  async inspect(id: string): Promise<GuestState | undefined> {
    const instance = await this.#instances.find(nameOf(id));
    if (!instance) return undefined;
    const power = this.#powerOf(instance);
    if (power === 'unknown') throw new ComputeUnavailableError(`${id} cannot be seen`);
    return {
      id,
      power,
      addresses: addressesOf(instance).map(({ address }) => address),
      agent: power === 'running' && this.#inside.canLogIn,
      ...sizeOf(instance),
      snapshotIds: (instance.snapshots ?? []).map(({ name }) => name),
    };
  }

  async list() {
    const guests = (await this.#instances.list()).filter(isGuest);
    return Promise.all(
      guests.map(async (instance) => ({
        id: idOf(instance),
        hostId: await this.#hosts.idOf(instance.location),
        power: this.#powerOf(instance),
      })),
    );
  }

  readonly sample: Method<'sample'> = (ids) =>
    readSamples({ ...this.#options, instances: this.#instances, members: this.#members }, ids);

  async volumes(id: string) {
    const instance = await this.#instances.find(nameOf(id));
    if (!instance) return [];
    const usedBytes = instance.state?.disk?.root?.usage || null;
    const { diskGb: sizeGb } = sizeOf(instance);
    const device = instance.type === 'container' ? '/' : '/dev/sda';
    return [{ name: 'root', sizeGb, usedBytes, type: 'ssd', boot: true, device }];
  }

  readonly openVnc: Method<'openVnc'> = async (id) => {
    this.#stream.open();
    return this.#screens.view(id);
  };

  readonly openSsh: Method<'openSsh'> = async (id) => {
    this.#stream.open();
    return this.#inside.openSsh(await this.#instances.find(nameOf(id)), id);
  };

  watch(listener: (event: GuestEvent) => void): () => void {
    this.#stream.open();
    return this.#events.watch(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort(new ComputeUnavailableError('the driver is closed'));
    await Promise.all([this.#stream.close(), this.#boots.close()]);
    await Promise.all([this.#locks.idle(), this.#cards.idle()]);
    this.#sockets.close();
    await this.#screens.close();
    this.#events.close();
    this.#members.close();
  }

  #powerOf(instance: Instance) {
    return powerOf(instance, this.#boots.isBooted(instance));
  }

  async #on(id: string): Promise<Instance> {
    await mendRestore(this.#snapshotParts, id);
    const instance = await this.#power.on(id);
    this.#isOn(instance);
    return instance;
  }

  #isOn(instance: Instance): void {
    this.#boots.isBooted(instance);
    this.#screens.runs(instance);
  }

  async #putNetwork(id: string, policy: NetworkPolicy): Promise<void> {
    if (policy.portForwards.length > 0)
      throw new PolicyRefusedError('this engine does not forward ports: its guests have their own addresses');
    const instance = await this.#guests.need(id);
    const acl = this.#guests.aclOf(policy, addressesOf(instance));
    await this.#acls.put(instance.name, acl);
    const card = instance.devices.eth0!;
    const next = limited(card, policy.bandwidthBps);
    if (!isSameCard(card, next)) await this.#guests.change(instance, {}, { eth0: next });
  }

  async #note(instance: Instance, key: string, text: string): Promise<void> {
    const id = idOf(instance);
    await this.#alone(id, async () => {
      const now = await this.#guests.need(id);
      if (runOf(now) === runOf(instance)) await this.#guests.change(now, { [key]: text });
    });
  }

  /** `isAsked`: a request to the cluster caused it. That may have been a reboot, so the screen stays open. */
  #ended(id: string, isAsked = false): void {
    this.#stream.expected(id);
    this.#boots.end(id);
    this.#sockets.end(id);
    if (!isAsked) this.#screens.end(id);
  }

  get #snapshotParts() {
    const { clock } = this.#options;
    return { clock, instances: this.#instances, acls: this.#acls, need: this.#guests.need };
  }

  #rebuildParts(id: string, spec?: GuestSpec) {
    return {
      clock: this.#options.clock,
      instances: this.#instances,
      make: (config: Record<string, string>, card: Record<string, string> | undefined) =>
        this.#guests.make(spec!, config, card),
      drop: (name: string) => this.#guests.drop(id, name),
    };
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#closing.signal.throwIfAborted();
    return this.#locks.run(id, work);
  }
}
