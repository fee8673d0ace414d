import type { Logger } from '../../../platform/logging.ts';
import { ComputeUnavailableError, type GuestSight, type GuestState } from '../../driver.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';
import type { Guests } from './guests.ts';
import type { Power } from './power.ts';

/**
 * Guests whose QEMU did not answer when they were adopted. It is unknown whether they run, so they must not be treated
 * or reported as off. A question about one first tries to adopt it again.
 */
export class Sight {
  readonly #power: Pick<Power, 'adopt'>;
  readonly #logger: Pick<Logger, 'warn'>;
  /** Adoptions in progress, by guest: a monitor serves one client at a time. */
  readonly #adoptions = new Map<Guest, Promise<void>>();

  constructor(power: Pick<Power, 'adopt'>, logger: Pick<Logger, 'warn'>) {
    this.#power = power;
    this.#logger = logger;
  }

  /** Adopts the guest's QEMU unless that has been done. Throws {@link ComputeUnavailableError} while it fails. */
  async require<T extends Guest | undefined>(guest: T): Promise<T> {
    if (!guest?.unseen) return guest;
    await this.#adopt(guest).catch((error) => {
      throw new ComputeUnavailableError(`${guest.id} does not answer`, { cause: error });
    });
    return guest;
  }

  async stateOf(
    guest: Guest | undefined,
    inside: Pick<GuestAccess, 'canChange'>,
  ): Promise<GuestState | undefined> {
    if (!guest) return undefined;
    await this.require(guest);
    const { power, record } = guest;
    if (power === 'unknown') throw new ComputeUnavailableError(`${guest.id} does not answer`);
    const { id, vcpu, ramMb, diskGb } = record;
    const agent = inside.canChange(guest);
    const addresses = record.addresses.map(({ address }) => address);
    return { id, power, agent, addresses, vcpu, ramMb, diskGb, snapshotIds: Object.keys(record.snapshots) };
  }

  /**
   * Returns a summary of all guests. Unseen guests are adopted again in the background, so one that hangs delays no
   * other.
   */
  all(guests: Guests): Omit<GuestSight, 'hostId'>[] {
    const unread = [...guests.setAside].map((id) => ({ id, power: 'unknown' as const }));
    const read = guests.all().map((guest) => {
      const { id, power } = guest;
      // The failure was already logged at the first attempt.
      if (guest.unseen)
        this.#adopt(guest).then(
          () => this.#logger.warn({ vm_id: id }, 'adopted a guest that could not be seen before'),
          () => {},
        );
      return { id, power };
    });
    return [...read, ...unread];
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#adoptions.values());
  }

  #adopt(guest: Guest): Promise<void> {
    const under = this.#adoptions.get(guest);
    if (under) return under;
    const adoption = this.#adoptAgain(guest).finally(() => this.#adoptions.delete(guest));
    this.#adoptions.set(guest, adoption);
    return adoption;
  }

  async #adoptAgain(guest: Guest): Promise<void> {
    // The first adoption may still be in progress.
    await guest.adopting;
    if (guest.unseen) await this.#power.adopt(guest);
  }
}
