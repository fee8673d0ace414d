/** A disk of which guests are made. */
export interface Image {
  name: string;
  sha256: string;
  virtual_bytes: number;
  user: string;
  /** Whether guests start from a kernel beside the disk. */
  direct_boot: boolean;
  /** What tells that a guest of it is ready, such as "port:22", and for how long it is waited for, if it says so. */
  ready: string;
  ready_within_seconds: number | null;
}

/** What guests need of the machine, part by part. */
export interface Host {
  /** The engine that the service runs. */
  compute: string;
  findings: { what: string; state: 'ok' | 'limited' | 'missing'; found: string }[];
}
