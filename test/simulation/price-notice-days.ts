/** Days between the notice of a higher price and the renewal at it, in every world. */
export const PRICE_NOTICE_DAYS = 5;
