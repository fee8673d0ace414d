/** So long before a renewal at a higher price the owner of a VM is told of it, in each world. */
export const PRICE_NOTICE_DAYS = 5;
