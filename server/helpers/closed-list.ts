import type { TObject } from '../platform/schema.ts';
import { checkOf, InvalidArgumentError } from '../platform/strict-shapes.ts';

/** Performs one operation; its arguments have been validated. */
export type Handler<Parts> = (parts: Parts, given: never) => Promise<unknown>;

/**
 * Returns a function that performs one of a closed list of operations with unvalidated arguments. It throws
 * {@link InvalidArgumentError} if the operation does not exist or an argument does not match its shape exactly; nothing
 * has been done then.
 */
export function closedList<Parts, Name extends string>(
  shapes: Record<Name, TObject>,
  handlers: Record<Name, Handler<Parts>>,
): (parts: Parts, name: string, given: unknown) => Promise<unknown> {
  const checks = new Map<string, (given: unknown) => void>(
    Object.entries<TObject>(shapes).map(([name, shape]) => [name, checkOf(shape)]),
  );
  return async (parts, name, given) => {
    const check = checks.get(name);
    if (!check) throw new InvalidArgumentError(`there is no operation ${JSON.stringify(name)}`);
    check(given);
    return handlers[name as Name](parts, given as never);
  };
}
