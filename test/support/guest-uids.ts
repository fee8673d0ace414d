/** Of one process of tests: another, beside it, must not meet machines under users of its own. */
const PER_PROCESS = 100;
const from = 1_900_000_000 + (process.pid % 1_000_000) * PER_PROCESS;

/** Users that this process's guests may run as. */
export const GUEST_UIDS = { from, to: from + PER_PROCESS - 1 };
