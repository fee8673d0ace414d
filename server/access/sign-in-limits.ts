import { type Attempts, LIMITS } from './attempts.ts';
import { MOST_DEVICES } from './realms.ts';

/** An attempt with a password: for which address, from which network, and on which known device of that address. */
export interface SignInTry {
  /** As typed, without surrounding spaces. */
  email: string;
  network: string;
  /** The device's id; undefined if the address does not know it. */
  device: string | undefined;
}

/**
 * The most passwords that can be tried against one account in a day, in the long run.
 *
 * Strangers, however many networks they have, share 50 guesses an hour and 300 a day for an address. Each known device
 * has 50 a day of its own, and an account knows ten devices. A stranger has none, because a device becomes known only
 * by a complete sign-in or a reset by mail. So a stranger has 300 guesses a day, and someone who has stolen all ten
 * devices 800. A window begins with its first attempt, so the end of one and the beginning of the next can fall into
 * the same 24 hours: any 24 hours allow at most twice as many. Successful attempts are subtracted again, because they
 * were not guesses.
 */
export const GUESSES_A_DAY = {
  stranger: LIMITS.sign_in_unknown_day.most,
  all: LIMITS.sign_in_unknown_day.most + MOST_DEVICES * LIMITS.sign_in_device_day.most,
} as const;

/**
 * Counts a password attempt before it is checked, or refuses it with 429. Networks are checked first, and an attempt
 * that they refuse is not counted for the address, so it takes many networks to use up the strangers' attempts for it.
 * A known device is unaffected by others in its network or at its address. `besides` says how an owner on an unknown
 * device can still sign in.
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

/** Takes back the attempts counted for a correct password. */
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
