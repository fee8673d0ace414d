import { CapacityError, ComputeUnavailableError } from '../../server/compute/driver.ts';
import { Prng } from './prng.ts';

/** Probability that the engine refuses, and that a step fails right before or after its work. */
const ENGINE_FAULT = 0.03;
const STEP_FAULT = 0.01;

/** The faults that happen without an operation. */
export class Faults {
  enabled = true;
  readonly prng: Prng;

  constructor(seed: string) {
    this.prng = new Prng(`${seed}/faults`);
  }

  engine(): void {
    if (!this.#strikes(ENGINE_FAULT)) return;
    throw this.prng.pick([
      new ComputeUnavailableError('away'),
      new CapacityError('full'),
      new Error('broken'),
    ]);
  }

  step(): void {
    if (this.#strikes(STEP_FAULT)) throw new Error('a fault of the simulation');
  }

  #strikes(probability: number): boolean {
    return this.enabled && this.prng.chance(probability);
  }
}
