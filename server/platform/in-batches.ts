/** Rows that one statement of housekeeping changes: some milliseconds of the embedded engine's only thread. */
const BATCH = 1_000;

/** Does a little at a time until less than a whole batch was left; how much there was. */
export async function inBatches(some: (limit: number) => Promise<number>, batch = BATCH): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await some(batch);
    total += done;
    if (done < batch) return total;
  }
}
