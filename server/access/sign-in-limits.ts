import { type Attempts, LIMITS } from './attempts.ts';
import { MOST_DEVICES } from './realms.ts';

/** Who tries a password: for which address, from which network, and on which known device of that address. */
export interface SignInTry {
  /** As it was typed, without surrounding spaces. */
  email: string;
  network: string;
  /** The id of the device; undefined if the address does not know it. */
  device: string | undefined;
}

/**
 * The most passwords that are tried against one account in a day, in the long run.
 *
 * Strangers, whatever number of networks they have, share 50 guesses an hour and 300 a day for an address. Each known
 * device has 50 a day of its own, and an account knows ten; a stranger has none, because a device becomes known only by a
 * complete sign-in or a reset by mail. So a stranger has 300 guesses a day, and someone who has stolen all ten devices 800.
 * As a window begins with its first attempt, the end of one and the begin of the next can fall into the same 24 hours:
 * any 24 hours hold at most twice as many. A guesser who was right has not guessed, which is why successes are given back.
 */
export const GUESSES_A_DAY = {
  stranger: LIMITS.sign_in_unknown_day.most,
  all: LIMITS.sign_in_unknown_day.most + MOST_DEVICES * LIMITS.sign_in_device_day.most,
} as const;

/**
 * Counts a password before it is checked, or refuses it with 429. Networks come first, and what they refuse is not counted
 * for the address, so that it takes many networks to use up what strangers may try there. A known device is not subject to
 * what others in its network or at its address do. `besides` says how an owner on an unknown device gets in all the same.
 */
export async function takeSignIn(
  attempts: Attempts,
  { email, network, device }: SignInTry,
  besides: string,
): Promise<void> {
  if (device !== undefined) {
    await attempts.take('sign_in_device', device);
    await attempts.take('sign_in_device_day', device);
    return;
  }
  await attempts.take('sign_in_network', network);
  await attempts.take('sign_in_here', `${email} ${network}`);
  await attempts.take('sign_in_unknown', email, besides);
  await attempts.take('sign_in_unknown_day', email, besides);
}

/** Takes back what was counted for a password that was right. */
export async function giveSignInBack(
  attempts: Attempts,
  { email, network, device }: SignInTry,
): Promise<void> {
  if (device !== undefined) {
    await attempts.forget('sign_in_device', device);
    await attempts.giveBack('sign_in_device_day', device);
    return;
  }
  await attempts.forget('sign_in_here', `${email} ${network}`);
  await attempts.giveBack('sign_in_unknown', email);
  await attempts.giveBack('sign_in_unknown_day', email);
}
