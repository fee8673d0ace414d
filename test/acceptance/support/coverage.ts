import { match, OPERATIONS, operationsAt } from './document.ts';
import type { Request } from './transport.ts';

/** Records the outcomes of each operation: `ok`, or an error code. */
export class Coverage {
  readonly #seen = new Map<string, Set<string>>();
  #exchanges = 0;

  record(request: Request, outcome: string): void {
    this.#exchanges += 1;
    const operation = match(request.method, request.target);
    for (const { id } of operation ? [operation] : operationsAt(request.target))
      this.#seen.set(id, (this.#seen.get(id) ?? new Set<string>()).add(outcome));
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** Returns each documented outcome that never occurred, as operation and outcome. */
  missing(): [string, string][] {
    return outcomes().filter(([id, outcome]) => !this.#has(id, outcome));
  }

  /** The number of documented outcomes that occurred. */
  get covered(): number {
    return outcomes().filter(([id, outcome]) => this.#has(id, outcome)).length;
  }

  #has(id: string, outcome: string): boolean {
    return this.#seen.get(id)?.has(outcome) ?? false;
  }
}

/** Returns every operation with each outcome that openapi.json documents. */
function outcomes(): [string, string][] {
  return OPERATIONS.flatMap(({ id, codes }) =>
    ['ok', ...codes].map((outcome): [string, string] => [id, outcome]),
  );
}
