import type { PanelEndpoint } from '../../panel/endpoint.ts';
import { getAutoTopUp } from './money/get-auto-top-up.ts';
import { getBillingProfile } from './money/get-billing-profile.ts';
import { getStatement } from './money/get-statement.ts';
import { getTopUp } from './money/get-top-up.ts';
import { listPaymentProviders } from './money/list-payment-providers.ts';
import { listTopUps } from './money/list-top-ups.ts';
import { setAutoTopUp } from './money/set-auto-top-up.ts';
import { setBillingProfile } from './money/set-billing-profile.ts';
import { startTopUp } from './money/start-top-up.ts';
import { getSession } from './session/get-session.ts';
import { signInByLink } from './session/sign-in-by-link.ts';
import { signOut } from './session/sign-out.ts';
import { getPublicPrices } from './site/get-public-prices.ts';
import { getSite } from './site/get-site.ts';

/** Every operation that only the panel has, in the order in which they are described. */
export const PANEL_ENDPOINTS: readonly PanelEndpoint[] = [
  getSite,
  signInByLink,
  getSession,
  signOut,
  getPublicPrices,
  listPaymentProviders,
  startTopUp,
  getTopUp,
  listTopUps,
  getAutoTopUp,
  setAutoTopUp,
  getStatement,
  getBillingProfile,
  setBillingProfile,
];
