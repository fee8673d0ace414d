import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CapacityError } from '../driver.ts';
import { FILES } from './arguments.ts';
import { run } from './command.ts';
import type { Guest } from './guest.ts';

/** Users that guests run as, one each, as the host helper has them. */
export interface GuestUsers {
  /** The first number and the last; none of them has a name. */
  from: number;
  to: number;
  /** Number of the group that the service and its helper are in, and no guest. */
  group: number;
}

/** Whom a guest's process runs as, and the group that may use its sockets. */
export interface GuestUser {
  uid: number;
  group: number;
}

/** What the service itself has made; all else in a guest's directory is its process's. */
const OF_THE_SERVICE: string[] = [
  FILES.record,
  ...[FILES.disk, FILES.nextDisk, FILES.formerDisk],
  ...[FILES.seed, FILES.nextSeed, FILES.formerSeed],
];

/**
 * Gives each guest a user of its own, so that a guest that has broken out of QEMU finds nothing of another's that it may
 * open. The service owns the files and lets that user in by access control lists, which takes no privilege.
 */
export class Ownership {
  readonly #users: (() => Promise<GuestUsers>) | undefined;
  /** Of guests that are being made. */
  readonly #pending = new Set<number>();

  /** `users` absent: guests run as the service's own user, as without a helper they must. */
  constructor(users?: () => Promise<GuestUsers>) {
    this.#users = users;
  }

  /**
   * Calls `work` with a user that is given to no other guest meanwhile, and that none of the `guests` has, nor who holds one of
   * the directories `setAside`. {@link CapacityError} where all are taken.
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
    if (uid > to) throw new CapacityError(`all ${to - from + 1} users of guests on this host are taken`);
    this.#pending.add(uid);
    try {
      return await work({ uid, group });
    } finally {
      this.#pending.delete(uid);
    }
  }

  /** Gives a guest of an earlier version, which is off and shared a user with all others, one of its own. */
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

/** Opens a directory to a guest's user and the service's group only, and to what will be made in it. */
export async function shareDirectory(directory: string, { uid, group }: GuestUser): Promise<void> {
  const own = ['u::rwx', `u:${uid}:rwx`, 'g::---', `g:${group}:rwx`, 'm::rwx', 'o::---'];
  await setAcl([...own, ...own.map((entry) => `d:${entry}`)], directory);
}

/** The same for a file that is there already. */
async function shareFile(path: string, { uid, group }: GuestUser): Promise<void> {
  await setAcl([`u:${uid}:rw`, 'g::---', `g:${group}:rw`, 'm::rw', 'o::---'], path);
}

async function setAcl(entries: string[], path: string): Promise<void> {
  await run('setfacl', '--modify', entries.join(','), '--', path);
}

/** Users, by their numbers, that a directory was given to. */
async function holdersOf(directory: string): Promise<number[]> {
  const shown = await run('getfacl', '--omit-header', '--numeric', '--absolute-names', '--', directory);
  return [...shown.matchAll(/^user:(\d+):/gm)].map(([, uid]) => Number(uid));
}
