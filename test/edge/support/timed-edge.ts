import type { EdgeReading } from '../../../server/edge/driver.ts';
import { EdgeClient } from '../../../server/edge/nftables/client.ts';
import type { Clock } from '../../../server/platform/clock.ts';

/** An edge with real counters that are read at the times of the test's clock. */
export class TimedEdge extends EdgeClient {
  readonly #clock: Clock;

  constructor(path: string, clock: Clock) {
    super(path);
    this.#clock = clock;
  }

  override readTotals = async () => this.#timed(await EdgeClient.prototype.readTotals.call(this));
  override readDetail = async (ids: string[]) =>
    this.#timed(await EdgeClient.prototype.readDetail.call(this, ids));

  #timed<Row>(reading: EdgeReading<Row>): EdgeReading<Row> {
    return { ...reading, at: this.#clock.now() };
  }
}
