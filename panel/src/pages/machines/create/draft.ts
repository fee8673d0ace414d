import type { Size } from './SizeSliders.tsx';

/** The choices for a machine that is not bought yet. */
export interface Draft {
  hostname: string;
  region: string;
  template: string;
  way: 'plan' | 'custom';
  plan: string;
  size: Size;
  billing: 'monthly' | 'hourly';
  keys: string[];
  start: boolean;
  autoRenew: boolean;
  notes: string;
  userData: string;
  /** The Idempotency-Key of the purchase. It survives a detour to the top-up page, so that nothing is bought twice. */
  purchase: string;
}

const PLACE = 'vauban.new-machine';

/** Returns the choices that were stored in this tab before a detour to the top-up page. */
export function keptDraft(): Partial<Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? '{}') as Partial<Draft>;
  } catch {
    return {};
  }
}

export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(draft));
  } catch {
    // Storage may be disabled in the browser; the customer then has to choose again.
  }
}

export function forgetDraft(): void {
  sessionStorage.removeItem(PLACE);
}
