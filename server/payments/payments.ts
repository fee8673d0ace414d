import type { Config } from '../config/config.ts';
import { paymentProviders } from '../config/panel-problems.ts';
import type { PaymentProviderName } from '../config/panel-settings.ts';
import { bankTransfer } from './bank-transfer.ts';
import type { PaymentProvider } from './provider.ts';
import { StripeApi } from './stripe/api.ts';
import { stripeProvider } from './stripe/provider.ts';
import { testProvider } from './test-provider.ts';

/** The ways to pay that this installation offers. */
export class Payments {
  /** In the order that customers are offered them. */
  readonly providers: readonly PaymentProvider[];
  /** Where Stripe is one of them. */
  readonly stripe: { api: StripeApi; webhookSecret: string } | null;
  /** When this process last held the providers' payments against the books; null before that. */
  comparedAt: Date | null = null;
  readonly #site: { panelUrl: string };

  constructor(config: Config, brandName: string, site: { panelUrl: string }) {
    this.#site = site;
    const names = paymentProviders(config);
    const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeBaseUrl: baseUrl } = config;
    this.stripe =
      names.includes('stripe') && secretKey !== undefined && webhookSecret !== undefined
        ? { api: new StripeApi({ secretKey, baseUrl }), webhookSecret }
        : null;
    const known: Record<PaymentProviderName, PaymentProvider | null> = {
      test: testProvider,
      bank_transfer: bankTransfer(config),
      stripe: this.stripe && stripeProvider(this.stripe.api, brandName),
    };
    this.providers = names.flatMap((name) => known[name] ?? []);
  }

  /** The provider called `name`, where it is offered. */
  find(name: string): PaymentProvider | undefined {
    return this.providers.find((provider) => provider.name === name);
  }

  /** Where a customer returns to after paying. */
  returnUrl(topUpId: string): string {
    return `${this.#site.panelUrl}/billing/top-ups/${topUpId}`;
  }
}
