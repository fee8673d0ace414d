import type { Readiness } from './readiness.ts';

/** A bootable disk of which guests are made. It is never written to: each guest's disk is an overlay of it. */
export interface Image {
  /** What a template of the catalog calls it, such as "tiny" or "debian-12". */
  name: string;
  /** Of the disk's bytes, in hexadecimal; checked when the image was imported. */
  sha256: string;
  /** The disk, a read-only qcow2 file. */
  disk: string;
  /** What a guest sees of it; a guest's own disk is at least as large. */
  virtualBytes: number;
  /** Who logs in first: gets the keys and the password of the seed. */
  user: string;
  /** Started by QEMU itself, without BIOS and boot loader: twice as fast. The disk boots by itself as well. */
  directBoot?: DirectBoot;
  /** By what a guest of it is known to be ready; when absent, by an SSH server on port 22. */
  readiness?: Readiness;
  /** How long that may take before a hint is given; when absent, READY_MS. */
  readyWithinSeconds?: number;
  /** A clone of a running guest of it becomes a guest of its own by `/sbin/adopt`: see warm.ts. */
  warm?: true;
}

export interface DirectBoot {
  kernel: string;
  initrd: string;
  /** The kernel's command line. */
  append: string;
}
