import { defineTexts, useTexts } from '../../texts.ts';

const texts = defineTexts(
  {
    bank_transfer: 'Bank transfer',
    stripe: 'Card and more',
    test: 'Test payment',
    manual: 'By the operator',
  },
  {
    bank_transfer: 'Überweisung',
    stripe: 'Karte und mehr',
    test: 'Testzahlung',
    manual: 'Durch den Betreiber',
  },
);

/** Returns a function that names a payment method; it returns the service's own id for an unknown one. */
export function useMethodName(): (method: string) => string {
  const t: Record<string, string> = useTexts(texts);
  return (method) => t[method] ?? method;
}
