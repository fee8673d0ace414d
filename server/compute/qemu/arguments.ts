import type { DirectBoot } from './image.ts';

/** Everything that decides a QEMU process: a plain object, so that it can be checked and stored. */
export interface Machine {
  /** The VM's id, and the process's name. */
  id: string;
  uuid: string;
  /** The guest's directory: disk, seed, sockets, pid file and console log have fixed names in it. */
  directory: string;
  accelerator: 'kvm' | 'tcg';
  vcpu: number;
  ramMb: number;
  mac: string;
  /** The value of `-netdev`. */
  netdev: string;
  directBoot?: DirectBoot;
}
