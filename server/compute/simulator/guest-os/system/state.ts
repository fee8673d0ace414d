/** The state inside a guest, apart from its files. Times are epoch milliseconds. */
export interface InsideState {
  /** Units whose state has changed since the boot, by name. */
  units: Record<string, UnitChange>;
  log: LogLine[];
  logins: Login[];
  /** Packages installed in addition to those of the image. */
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

/** Enough lines for an engineer to scroll through. The row is rewritten for each line, so it must stay small. */
const MAX_LOG_LINES = 200;
const MAX_LOGINS = 40;
const MAX_INSTALLED = 200;

/** Adds a line to the journal; the oldest lines are dropped. */
export function addLog(inside: InsideState, line: LogLine): void {
  inside.log = [...inside.log, { ...line, text: line.text.slice(0, 400) }].slice(-MAX_LOG_LINES);
}

/** Records a login; the oldest ones are dropped. */
export function addLogin(inside: InsideState, login: Login): void {
  inside.logins = [...inside.logins, login].slice(-MAX_LOGINS);
}

/** Records packages; those beyond the limit are not recorded. */
export function addInstalled(inside: InsideState, names: string[]): void {
  inside.installed = [...new Set([...inside.installed, ...names])].slice(0, MAX_INSTALLED);
}
