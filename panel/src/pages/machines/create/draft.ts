import type { Size } from './SizeSliders.tsx';

/** What has been chosen for a machine that is not bought yet. */
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
  /** The Idempotency-Key of the purchase: the same one after a way round by the top-up, so that nothing is bought twice. */
  purchase: string;
}

const PLACE = 'vauban.new-machine';

/** What was left behind in this tab, for one who comes back from topping up. */
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
    // A browser that keeps nothing makes its user choose again.
  }
}

export function forgetDraft(): void {
  sessionStorage.removeItem(PLACE);
}
