import { unlessTold } from '../../api/live.ts';

export const TARGET_LOOKS = {
  clean: ['ok', 'dot'],
  under_attack: ['bad', 'triangle'],
  mitigating: ['warn', 'ring'],
} as const;

export const RULE_LOOKS = {
  pending: ['info', 'ring'],
  active: ['ok', 'dot'],
  error: ['bad', 'triangle'],
} as const;

export const SEVERITY_TONES = { low: 'faint', medium: 'warn', high: 'bad', critical: 'bad' } as const;

/** The detector checks every second, but people do not need to. */
export const AGAIN_MS = 5_000;

/**
 * Returns the polling interval. The stream only reports that there is an attack, not its course, so attacks are always
 * polled.
 */
export const lookWhile = (isBusy: boolean | undefined): number | false =>
  isBusy ? AGAIN_MS : unlessTold(AGAIN_MS)();
