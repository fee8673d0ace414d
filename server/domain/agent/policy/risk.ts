/** How much a command can harm: it only looks, it changes what is easily put right, or it may do anything. */
export const RISKS = ['safe', 'caution', 'dangerous'] as const;
export type Risk = (typeof RISKS)[number];

/** What the policy says of a command, and why, in a sentence for the customer. */
export interface Judgement {
  risk: Risk;
  why: string;
}

export const dangerous = (why: string): Judgement => ({ risk: 'dangerous', why });

/** The gravest of several; the first of them where they are equal. */
export function gravest(judgements: readonly Judgement[]): Judgement {
  return judgements.reduce((worst, next) =>
    RISKS.indexOf(next.risk) > RISKS.indexOf(worst.risk) ? next : worst,
  );
}
