import type { TObject } from '../schema.ts';
import { checkOf, InvalidArgumentError } from './shapes.ts';

/** Does one operation, whose arguments are of its shape. */
export type Handler<Parts> = (parts: Parts, given: never) => Promise<unknown>;

/**
 * Everything that a helper does, and nothing else: does one operation with unchecked arguments. {@link InvalidArgumentError}
 * where there is no such operation, or an argument is not exactly of its shape; then nothing has been done.
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
