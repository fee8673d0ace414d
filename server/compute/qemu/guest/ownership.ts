import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CapacityError } from '../../driver.ts';
import { FILES } from '../process/arguments.ts';
import { run } from '../process/command.ts';
import type { Guest } from './guest.ts';

/** Users that guests run as, one each, as configured for the host helper. */
export interface GuestUsers {
  /** First and last user id; none of them has a name. */
  from: number;
  to: number;
  /** Id of a group that includes the service and its helper, but no guest. */
  group: number;
}

/** The user of a guest's process, and the group that may use its sockets. */
export interface GuestUser {
  uid: number;
  group: number;
}

/** Files created by the service itself; everything else in a guest's directory comes from its process. */
const OF_THE_SERVICE: string[] = [
  FILES.record,
  ...[FILES.disk, FILES.nextDisk, FILES.formerDisk],
  ...[FILES.seed, FILES.nextSeed, FILES.formerSeed],
];

/**
 * Gives each guest its own user, so that a guest that has broken out of QEMU cannot open anything of another's. The
 * service owns the files and grants that user access with access control lists, which needs no privileges.
 */
export class Ownership {
  readonly #users: (() => Promise<GuestUsers>) | undefined;
  /** User ids of guests that are being created. */
  readonly #pending = new Set<number>();

  /** If `users` is absent, guests run as the service's own user, as they must without a helper. */
  constructor(users?: () => Promise<GuestUsers>) {
    this.#users = users;
  }

  /**
   * Calls `work` with a user that is reserved during the call and not used by any of the `guests` or granted access to
   * one of the `setAside` directories. Throws {@link CapacityError} if all users are taken.
   */
  async withUser<T>(
    guests: () => Iterable<Guest>,
    setAside: string[],
    work: (user: GuestUser | undefined) => Promise<T>,
  ): Promise<T> {
    if (!this.#users) return work(undefined);
    const { from, to, group } = await this.#users();
    const held = await Promise.all(setAside.map(holdersOf));
    const known = [...guests()].flatMap(({ record }) => record.uid ?? []);
    const taken = new Set([...this.#pending, ...held.flat(), ...known]);
    let uid = from;
    while (taken.has(uid)) uid++;
    if (uid > to) throw new CapacityError(`all ${to - from + 1} users for guests on this host are in use`);
    this.#pending.add(uid);
    try {
      return await work({ uid, group });
    } finally {
      this.#pending.delete(uid);
    }
  }

  /** Gives a guest of an earlier version, which shared a user with all others, its own user. The guest must be off. */
  async adopt(guest: Guest, guests: () => Iterable<Guest>, setAside: string[]): Promise<void> {
    if (guest.record.uid !== undefined) return;
    await this.withUser(guests, setAside, async (user) => {
      if (!user) return;
      const left = Object.values(FILES).filter((name) => !OF_THE_SERVICE.includes(name));
      for (const name of left) await rm(join(guest.directory, name), { force: true });
      await shareDirectory(guest.directory, user);
      for (const name of ['disk', 'seed'] as const) await shareFile(guest.file(name), user);
      await guest.save({ uid: user.uid });
    });
  }
}

/** Opens a directory, and everything created in it later, only to a guest's user and the service's group. */
export async function shareDirectory(directory: string, { uid, group }: GuestUser): Promise<void> {
  const own = ['u::rwx', `u:${uid}:rwx`, 'g::---', `g:${group}:rwx`, 'm::rwx', 'o::---'];
  await setAcl([...own, ...own.map((entry) => `d:${entry}`)], directory);
}

/** Same as `shareDirectory`, for an existing file. */
async function shareFile(path: string, { uid, group }: GuestUser): Promise<void> {
  await setAcl([`u:${uid}:rw`, 'g::---', `g:${group}:rw`, 'm::rw', 'o::---'], path);
}

async function setAcl(entries: string[], path: string): Promise<void> {
  await run('setfacl', '--modify', entries.join(','), '--', path);
}

/** Returns the ids of the users granted access to a directory. */
async function holdersOf(directory: string): Promise<number[]> {
  const shown = await run('getfacl', '--omit-header', '--numeric', '--absolute-names', '--', directory);
  return [...shown.matchAll(/^user:(\d+):/gm)].map(([, uid]) => Number(uid));
}
