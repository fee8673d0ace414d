/**
 * What happens to packets that no rule of a VM matches: nothing comes in that was not asked for (a customer
 * opens what they serve), everything may go out. Answers to the VM's own connections always come back.
 */
export const DEFAULT_POLICY = { in: 'drop', out: 'accept' } as const;
