/** What a guest's inside remembers beside its files. Instants are epoch milliseconds. */
export interface InsideState {
  /** Units that are not as the boot left them, by name. */
  units: Record<string, UnitChange>;
  log: LogLine[];
  logins: Login[];
  /** Packages that were installed over the image. */
  installed: string[];
  /** When pending upgrades were last installed. */
  upgradedAt: number | null;
}

export interface UnitChange {
  active: 'active' | 'inactive' | 'failed';
  at: number;
}

export interface LogLine {
  at: number;
  unit: string;
  pid: number;
  text: string;
}

export interface Login {
  user: string;
  tty: string;
  from: string;
  at: number;
  until: number | null;
}

export const NEW_INSIDE: InsideState = { units: {}, log: [], logins: [], installed: [], upgradedAt: null };

/** The journal keeps what an engineer scrolls through; the row is rewritten at each line, so it stays small. */
const MAX_LOG_LINES = 200;
const MAX_LOGINS = 40;
const MAX_INSTALLED = 200;

/** Adds to the journal; the oldest lines make room. */
export function addLog(inside: InsideState, line: LogLine): void {
  inside.log = [...inside.log, { ...line, text: line.text.slice(0, 400) }].slice(-MAX_LOG_LINES);
}

/** Records a login; the oldest ones are dropped. */
export function addLogin(inside: InsideState, login: Login): void {
  inside.logins = [...inside.logins, login].slice(-MAX_LOGINS);
}

/** Adds packages; beyond the bound nothing more is remembered. */
export function addInstalled(inside: InsideState, names: string[]): void {
  inside.installed = [...new Set([...inside.installed, ...names])].slice(0, MAX_INSTALLED);
}
