import type { Logger } from '../../platform/logging.ts';
import { ComputeUnavailableError, type GuestSight, type GuestState } from '../driver.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';
import type { Guests } from './guests.ts';
import type { Power } from './power.ts';

/**
 * Guests whose QEMU did not answer when they were to be adopted: it is unknown whether they run, so nothing is
 * said or done about them as if they were off. A question about one adopts it again first.
 */
export class Sight {
  readonly #power: Pick<Power, 'adopt'>;
  readonly #logger: Pick<Logger, 'warn'>;
  /** Adoptions under way, by the guest: a monitor serves one client at a time. */
  readonly #adoptions = new Map<Guest, Promise<void>>();

  constructor(power: Pick<Power, 'adopt'>, logger: Pick<Logger, 'warn'>) {
    this.#power = power;
    this.#logger = logger;
  }

  /** Adopts the guest's QEMU where that is still to be done; {@link ComputeUnavailableError} while it cannot be. */
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

  /** All guests at a glance. Those that are unseen are tried again meanwhile: one that hangs delays no other. */
  all(guests: Guests): Omit<GuestSight, 'hostId'>[] {
    const unread = [...guests.setAside].map((id) => ({ id, power: 'unknown' as const }));
    const read = guests.all().map((guest) => {
      const { id, power } = guest;
      // That it could not be adopted was said when it was tried first.
      if (guest.unseen)
        this.#adopt(guest).then(
          () => this.#logger.warn({ vm_id: id }, 'guest that was unseen is adopted'),
          () => {},
        );
      return { id, power };
    });
    return [...read, ...unread];
  }

  /** Resolves when nothing is being adopted. */
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
    // The first adoption may still be under way.
    await guest.adopting;
    if (guest.unseen) await this.#power.adopt(guest);
  }
}
