import type { Config } from '../config/config.ts';
import { paymentProviders } from '../config/panel-problems.ts';
import type { PaymentProviderName } from '../config/panel-settings.ts';
import { bankTransfer } from './bank-transfer.ts';
import type { PaymentProvider } from './provider.ts';
import { StripeApi } from './stripe/api.ts';
import { stripeProvider } from './stripe/provider.ts';
import { testProvider } from './test-provider.ts';

/** The payment providers that this installation offers. */
export class Payments {
  /** In the order in which customers see them. */
  readonly providers: readonly PaymentProvider[];
  /** Null if Stripe is not offered. */
  readonly stripe: { api: StripeApi; webhookSecret: string } | null;
  /** When this process last compared the providers' payments with the books; null before the first time. */
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

  /** Returns the provider called `name`, if it is offered. */
  find(name: string): PaymentProvider | undefined {
    return this.providers.find((provider) => provider.name === name);
  }

  /** Returns the page to which a customer returns after paying. */
  returnUrl(topUpId: string): string {
    return `${this.#site.panelUrl}/billing/top-ups/${topUpId}`;
  }
}
