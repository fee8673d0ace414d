import { HelperClient } from '../../../helpers/client.ts';
import type { Operation } from '../../../helpers/host/operations.ts';
import { plainGuest } from '../../../helpers/host/shapes.ts';
import { ComputeUnavailableError, type DriverReport, type NetworkPolicy } from '../../driver.ts';
import { connectTo } from '../../inside/connect.ts';
import type { DiskOwner, ImageCommand } from '../disk/disk-image.ts';
import type { GuestUsers } from '../guest/ownership.ts';
import type { HostNetwork, NetworkGuest, NetworkReading } from '../network/network.ts';
import type { QemuSpec } from '../process/arguments.ts';
import type { Launcher } from '../process/direct-launcher.ts';

/**
 * Longest time the helper may take for any call. Each of its programs times out after a minute, and rebuilding the
 * rules of all guests runs several.
 */
const CALL_MS = 180_000;

/**
 * The routed network and the launcher for a service without privileges: the helper that listens at a socket does the
 * work. Connects on the first call and again after the helper has restarted. Throws {@link ComputeUnavailableError}
 * while it cannot be reached.
 */
export class HostClient extends HelperClient<Operation> implements HostNetwork, Launcher {
  readonly mode = 'routed';

  constructor(path: string, callMs = CALL_MS) {
    super({
      path,
      what: 'the host helper',
      callMs,
      unavailable: (message) => new ComputeUnavailableError(message),
    });
  }

  async attach(guest: NetworkGuest, policy: NetworkPolicy): Promise<string> {
    return (await this.call('attach', { guest: plainGuest(guest), policy })) as string;
  }

  async apply(guest: NetworkGuest, policy: NetworkPolicy): Promise<void> {
    await this.call('apply', { guest: plainGuest(guest), policy });
  }

  async reassert(guests: { guest: NetworkGuest; policy: NetworkPolicy }[]): Promise<string[]> {
    const plain = guests.map(({ guest, policy }) => ({ guest: plainGuest(guest), policy }));
    return (await this.call('reassert', { guests: plain })) as string[];
  }

  async altered(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const aborted = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    return Promise.race([this.call('altered', {}) as Promise<boolean>, aborted]);
  }

  async detach(id: string): Promise<void> {
    await this.call('detach', { id });
  }

  async counters(ids: string[]): Promise<Map<string, NetworkReading>> {
    return new Map((await this.call('counters', { ids })) as [string, NetworkReading][]);
  }

  /** Returns the users that guests run as, from this host's own configuration. */
  async users(): Promise<GuestUsers> {
    return (await this.call('users', {})) as GuestUsers;
  }

  async launch(spec: QemuSpec): Promise<number> {
    return (await this.call('launch', { spec })) as number;
  }

  async kill({ id, uuid, directory }: Pick<QemuSpec, 'id' | 'uuid' | 'directory'>): Promise<void> {
    await this.call('kill', { spec: { id, uuid, directory } });
  }

  async image({ id, uid, directory }: DiskOwner, command: ImageCommand): Promise<string> {
    return (await this.call('image', { spec: { id, uid, directory }, command })) as string;
  }

  /** Does not use the helper: the host routes to the guests, and anyone on it may connect. */
  readonly connect: HostNetwork['connect'] = connectTo;

  protected override async configure(): Promise<DriverReport> {
    return (await this.call('probe', {})) as DriverReport;
  }
}
