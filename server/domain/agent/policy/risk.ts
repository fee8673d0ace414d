/** The harm that a command can do: it only looks, it makes changes that are easily undone, or it may do anything. */
export const RISKS = ['safe', 'caution', 'dangerous'] as const;
export type Risk = (typeof RISKS)[number];

/** The policy's verdict on a command, with the reason as a sentence for the customer. */
export interface Judgement {
  risk: Risk;
  why: string;
}

export const dangerous = (why: string): Judgement => ({ risk: 'dangerous', why });

/** Returns the gravest of several judgements; the first one if several are equally grave. */
export function gravest(judgements: readonly Judgement[]): Judgement {
  return judgements.reduce((worst, next) =>
    RISKS.indexOf(next.risk) > RISKS.indexOf(worst.risk) ? next : worst,
  );
}
