import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

export interface Claim {
  claim: string;
  target: string;
  measured: string;
  passed: boolean;
  leftOut?: boolean;
}

/** Claims that `value` is at least `minimum`. */
export function atLeast(claim: string, minimum: number, value: number, detail: string): Claim {
  return {
    claim,
    target: `≥ ${minimum}`,
    measured: `${value.toFixed(2)} (${detail})`,
    passed: value >= minimum,
  };
}

/** Claims that `value` is at most `maximum`, both in `unit`. */
export function atMost(claim: string, maximum: number, value: number, unit: string, detail: string): Claim {
  return {
    claim,
    target: `≤ ${maximum} ${unit}`,
    measured: `${value.toFixed(value < 10 ? 2 : 0)} ${unit} (${detail})`,
    passed: value <= maximum,
  };
}

/** Returns a claim that cannot be measured on this machine, with the reason. */
export function leftOut(claim: string, why: string): Claim {
  return { claim, target: '', measured: why, passed: true, leftOut: true };
}

/** Prints the machine, because ratios mean little without knowing what they were measured on. */
export function printMachine(postgres: string): void {
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg()[0]!.toFixed(1);
  console.log(
    `machine   ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gib} GiB, load ${load} before`,
  );
  console.log(`software  ${process.platform} ${release()}, Node ${process.version}, ${postgres}\n`);
}

function mark({ passed, leftOut }: Pick<Claim, 'passed' | 'leftOut'>): string {
  if (leftOut) return '– left out';
  return passed ? '✓' : '✗ missed';
}

export function printTable(claims: Claim[]): void {
  const rows = [
    ['claim', 'target', 'measured', ''],
    ...claims.map(({ claim, target, measured, ...outcome }) => [claim, target, measured, mark(outcome)]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  console.log(line(rows[0]!));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows.slice(1)) console.log(line(row));
}
