/** Operations to refetch after money has moved. */
export const MONEY_CHANGES = [
  'operator.getAccount',
  'operator.listAccounts',
  'operator.listAdjustments',
  'operator.listInvoices',
  'operator.listOrders',
  'operator.listPromoCredits',
  'operator.getOverview',
  'operator.listLog',
] as const;
