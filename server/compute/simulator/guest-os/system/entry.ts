/** One path in a guest's file system. Paths are absolute and normalized: "/var/log/syslog". */
export interface Entry {
  kind: 'file' | 'directory' | 'gone';
  /** The group has the same name. */
  owner: string;
  /** Permission bits. */
  mode: number;
  /** Bytes. */
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** The content is stored, not only its size. */
  kept: boolean;
}

/** A kernel error about a path; `message` is the part after "cat: /x: ". */
export class FileError extends Error {
  override name = 'FileError';
}
