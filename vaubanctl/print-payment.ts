import type { Command } from 'commander';
import { contextOf } from './context.ts';
import { money, printFields, printJson } from './output.ts';

export interface BookingOptions {
  reference?: string;
  method?: string;
  key?: string;
  yes?: boolean;
}

/** Books a payment and prints it with the resulting balance. */
export async function book(
  command: Command,
  kind: 'credits' | 'debits',
  account: string,
  amount: string,
  { reference, method, key }: BookingOptions,
): Promise<void> {
  const { client, json } = contextOf(command);
  const payment = await client.post(`/accounts/{id}/${kind}`, {
    params: { id: account },
    body: { amount, reference, method, key },
  });
  if (json) return printJson(payment);
  printFields({
    payment: payment.id,
    amount: money(payment.amount_minor, payment.currency),
    method: payment.method,
    reference: payment.reference,
    available: money(payment.wallet.available_minor, payment.currency),
  });
}
