/** Rows changed by one housekeeping statement: some milliseconds of the embedded engine's only thread. */
const BATCH = 1_000;

/** Calls `some` until it handles less than a full batch; returns the total. */
export async function inBatches(some: (limit: number) => Promise<number>, batch = BATCH): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await some(batch);
    total += done;
    if (done < batch) return total;
  }
}
