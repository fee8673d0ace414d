import { type ComputeDriver, ComputeUnavailableError } from './driver.ts';

/** Methods that remain allowed on an engine of another owner: none of them concerns a guest. */
const ALWAYS: ReadonlySet<string | symbol> = new Set([
  'name',
  'place',
  'probe',
  'capabilities',
  'watch',
  'close',
]);

/**
 * Returns the same engine, closed while `refusal` returns a reason: then every method about guests throws
 * {@link ComputeUnavailableError}, and the probe reports the reason.
 */
export function withOwnershipCheck(compute: ComputeDriver, refusal: () => string | undefined): ComputeDriver {
  const probe = async () => {
    const summary = refusal();
    return summary === undefined ? compute.probe() : { ok: false, summary };
  };
  return new Proxy(compute, {
    get(target, property) {
      if (property === 'probe') return probe;
      const value = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      if (ALWAYS.has(property)) return value.bind(target);
      return async (...given: unknown[]) => {
        const reason = refusal();
        if (reason !== undefined) throw new ComputeUnavailableError(reason);
        return value.apply(target, given);
      };
    },
  });
}
