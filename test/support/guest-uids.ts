/**
 * User ids per test process. Test processes that run at the same time must not use each other's users for their guests.
 */
const PER_PROCESS = 100;
const from = 1_900_000_000 + (process.pid % 1_000_000) * PER_PROCESS;

export const GUEST_UIDS = { from, to: from + PER_PROCESS - 1 };
