/** Whether the wallet fills itself. */
export function AutoTopUpCard(_: { currency: string }) {
  return null;
}
