import type { Remainder } from '../../../db/queries/adjustments.ts';
import { sum } from '../money.ts';

/** Remainders of one month of a VM, or of none, with what may be given back of them together. */
interface Room {
  remainders: Remainder[];
  /** Sum of the remainders. */
  total: bigint;
  /** Not more than that, nor than what is left of the month, whatever a change or a deletion has given back of it. */
  most: bigint;
}

function roomsOf(remainders: Remainder[]): Room[] {
  const months = Map.groupBy(remainders, ({ month }) => month?.getTime());
  return [...months.values()].map((group) => {
    const total = sum(group.map(({ amount_minor }) => amount_minor));
    const net = group[0]!.month_net ?? total;
    const most = total < net ? total : net;
    return { remainders: group, total, most: most > 0n ? most : 0n };
  });
}

/** What may still be given back of an order. */
export function refundableOf(remainders: Remainder[]): bigint {
  return sum(roomsOf(remainders).map(({ most }) => most));
}

/**
 * How much of each remainder is given back where it is `amount` in all, which is at most {@link refundableOf}: each gets
 * its share, and all of it is exactly what is left of the order.
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

/** Splits `amount` by `weights`, some of which may be negative; the parts add up to it, and to the weights where it is their sum. */
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
