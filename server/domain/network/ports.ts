const LAST_PORT = 65_535;

/** A port or a range of ports, both ends included. */
export interface PortRange {
  from: number;
  to: number;
}

/** Parses "443" or "1024-5000"; undefined unless 1 ≤ from ≤ to ≤ 65535, without leading zeros. */
export function parsePorts(text: string): PortRange | undefined {
  const match = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text);
  if (!match) return undefined;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  return from <= to && to <= LAST_PORT ? { from, to } : undefined;
}

/** Formats a range in its only valid spelling: "443-443" becomes "443". */
export function formatPorts({ from, to }: PortRange): string {
  return from === to ? `${from}` : `${from}-${to}`;
}
