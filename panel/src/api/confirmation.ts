import { isRefusal } from './errors.ts';

/** How the service refuses what only somebody who has just signed in may do. */
const REFUSED = 'confirmation_required';

type Ask = () => Promise<boolean>;
let ask: Ask = async () => false;

/** Sets what asks the person to sign in once more; the shell does, when it is drawn. */
export function onConfirmationNeeded(how: Ask): void {
  ask = how;
}

/** Does something; where the service wants the person to sign in once more, asks for it and does it again. */
export async function confirmed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error, REFUSED) || !(await ask())) throw error;
    return work();
  }
}
