import type { ModelIdentity } from '../model.ts';

/** The name says what it is, so that it is not taken for a language model. */
export const RUNBOOK: ModelIdentity = { provider: 'runbook', name: 'Built-in runbook (offline)' };
