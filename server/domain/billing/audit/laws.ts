import { ADD_ON_LAWS } from './add-on-laws.ts';
import { ADJUSTMENT_LAWS } from './adjustment-laws.ts';
import { BOOKS_LAWS } from './books-laws.ts';
import type { AccountLaw, SellerLaw } from './law.ts';
import { NOTICE_LAWS } from './notice-laws.ts';
import { ORDER_LAWS } from './order-laws.ts';
import { PERIOD_LAWS } from './period-laws.ts';
import { PROMO_LAWS } from './promo-laws.ts';
import { SEAL_LAWS, SELLER_SEAL_LAWS } from './seal-laws.ts';
import { SERIES_LAWS } from './series-laws.ts';
import { TOP_UP_LAWS } from './top-up-laws.ts';
import { USAGE_LAWS } from './usage-laws.ts';
import { WALLET_LAWS } from './wallet-laws.ts';

/** Laws about the money of each account. */
export const ACCOUNT_LAWS: readonly AccountLaw[] = [
  ...WALLET_LAWS,
  ...TOP_UP_LAWS,
  ...ORDER_LAWS,
  ...PERIOD_LAWS,
  ...ADD_ON_LAWS,
  ...NOTICE_LAWS,
  ...PROMO_LAWS,
  ...USAGE_LAWS,
  ...ADJUSTMENT_LAWS,
  ...SEAL_LAWS,
];

/** Laws about the seller's own books. */
export const SELLER_LAWS: readonly SellerLaw[] = [...BOOKS_LAWS, ...SERIES_LAWS, ...SELLER_SEAL_LAWS];
