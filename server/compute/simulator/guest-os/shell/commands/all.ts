import type { Command } from '../process.ts';
import { APT } from './apt.ts';
import { BASICS } from './basics.ts';
import { DISK } from './disk.ts';
import { FILES } from './files.ts';
import { FLOW } from './flow.ts';
import { JOURNAL } from './journal.ts';
import { LISTING } from './listing.ts';
import { NETWORK } from './network.ts';
import { PROCESSES } from './processes.ts';
import { SYSTEM } from './system.ts';
import { SYSTEMCTL } from './systemctl.ts';
import { TEXT } from './text.ts';
import { TOP } from './top.ts';
import { TRANSFORMS } from './transforms.ts';
import { USERS } from './users.ts';

/** Every command of the simulated shell, by name. A map, so that names such as "constructor" are not commands. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    BASICS,
    FLOW,
    FILES,
    LISTING,
    TEXT,
    TRANSFORMS,
    DISK,
    SYSTEM,
    USERS,
    PROCESSES,
    TOP,
    SYSTEMCTL,
    JOURNAL,
    NETWORK,
    APT,
  ].flatMap((family) => Object.entries<Command>(family)),
);
