import { isRefusal } from './errors.ts';

/** The error code for an operation that requires a recent sign-in. */
const REFUSED = 'confirmation_required';

type Ask = () => Promise<boolean>;
let ask: Ask = async () => false;

/** Registers the function that asks the person to sign in again. The shell calls this when it mounts. */
export function onConfirmationNeeded(how: Ask): void {
  ask = how;
}

/** Runs `work`. If the service requires a recent sign-in, asks for one and runs `work` again. */
export async function confirmed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error, REFUSED) || !(await ask())) throw error;
    return work();
  }
}
