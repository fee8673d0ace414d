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

/** The words for a way to pay; what the service calls it, where there are none. */
export function useMethodName(): (method: string) => string {
  const t: Record<string, string> = useTexts(texts);
  return (method) => t[method] ?? method;
}
