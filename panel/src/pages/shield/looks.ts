import { unlessTold } from '../../api/live.ts';

/** How states of the Shield are shown: colour and shape. */
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

/** The detector looks each second; people need not. */
export const AGAIN_MS = 5_000;

/** How often to look: what an attack does is not told, only that there is one. */
export const lookWhile = (isBusy: boolean | undefined): number | false =>
  isBusy ? AGAIN_MS : unlessTold(AGAIN_MS)();
