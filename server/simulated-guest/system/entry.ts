/** One name in a guest's file system. Paths are absolute and normal: "/var/log/syslog". */
export interface Entry {
  kind: 'file' | 'directory' | 'gone';
  /** Its group is the same. */
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

/** What the kernel says of a path; `message` is the part behind "cat: /x: ". */
export class FileError extends Error {
  override name = 'FileError';
}
