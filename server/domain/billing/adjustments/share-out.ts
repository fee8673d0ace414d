import type { Remainder } from '../../../db/queries/money/adjustments.ts';
import { max, min, sum } from '../money.ts';

/** The remainders of one item in one month of a VM, or in none, with the amount of them that may be refunded together. */
interface Room {
  remainders: Remainder[];
  total: bigint;
  /** At most `total`, and at most the rest of the month after refunds for changes and a deletion. */
  most: bigint;
}

function roomsOf(remainders: Remainder[]): Room[] {
  const items = Map.groupBy(remainders, ({ month, add_on }) => `${month?.getTime()} ${add_on ?? ''}`);
  return [...items.values()].map((group) => {
    const total = sum(group.map(({ amount_minor }) => amount_minor));
    const net = group[0]!.month_net ?? total;
    const most = total < net ? total : net;
    return { remainders: group, total, most: most > 0n ? most : 0n };
  });
}

/**
 * Returns the maximum that can still be refunded of an order. One that charged for one item and refunded another, such as the
 * deletion of a VM with traffic and add-ons, gives back no more than it charged in all.
 */
export function refundableOf(remainders: Remainder[]): bigint {
  const rooms = roomsOf(remainders);
  const left = sum(rooms.map(({ total }) => total));
  return min(sum(rooms.map(({ most }) => most)), max(left, 0n));
}

/**
 * Splits a refund of `amount`, at most {@link refundableOf}, among the remainders: each gets its share, and the maximum
 * refunds exactly what is left of the order, unless it also refunded an item.
 */
export function shareOut(
  remainders: Remainder[],
  amount: bigint,
): { remainder: Remainder; amount: bigint }[] {
  const rooms = roomsOf(remainders);
  const amounts = proportional(
    rooms.map(({ most }) => most),
    amount,
  );
  return rooms.flatMap((room, index) => {
    const weights = room.remainders.map(({ amount_minor }) => amount_minor);
    return proportional(weights, amounts[index]!).map((share, place) => ({
      remainder: room.remainders[place]!,
      amount: share,
    }));
  });
}

/**
 * Splits `amount` by `weights`, some of which may be negative. The parts add up to `amount`, and equal the weights if
 * `amount` is their sum.
 */
function proportional(weights: bigint[], amount: bigint): bigint[] {
  const total = sum(weights);
  if (total === 0n) return weights.map(() => 0n);
  let upTo = 0n;
  let given = 0n;
  return weights.map((weight) => {
    upTo += weight;
    const share = (amount * upTo) / total - given;
    given += share;
    return share;
  });
}
