/** Formats columns, each as wide as its widest cell. Columns listed in `right` are right-aligned. */
export function table(rows: string[][], right: number[] = []): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => (right.includes(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
          .join(' ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Formats bytes as `-h` does: "1.5G". */
export function humanSize(bytes: number): string {
  const units = ['', 'K', 'M', 'G', 'T'];
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return at === 0
    ? String(value)
    : `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${units[at]}`;
}
