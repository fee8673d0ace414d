import type { Readiness } from '../guest/readiness.ts';

/** A bootable disk from which guests are created. It is never written to: each guest's disk is an overlay of it. */
export interface Image {
  /** The name used by templates of the catalog, such as "tiny" or "debian-12". */
  name: string;
  /** Checksum of the disk file, in hexadecimal, verified at import. */
  sha256: string;
  /** Path of the disk, a read-only qcow2 file. */
  disk: string;
  /** Disk size that a guest sees. A guest's own disk is at least as large. */
  virtualBytes: number;
  /** The user for the first login, who gets the seed's keys and password. */
  user: string;
  /**
   * If set, QEMU starts the kernel itself, without BIOS and boot loader, which is twice as fast. The disk can also boot
   * on its own.
   */
  directBoot?: DirectBoot;
  /** The readiness check of its guests. If absent, an SSH server on port 22. */
  readiness?: Readiness;
  /** Time that a guest may take to become ready before a warning. If absent, READY_MS. */
  readyWithinSeconds?: number;
  /** Clones of a running guest of this image can become independent with `/sbin/adopt`: see warm.ts. */
  warm?: true;
}

export interface DirectBoot {
  kernel: string;
  initrd: string;
  /** The kernel's command line. */
  append: string;
}
