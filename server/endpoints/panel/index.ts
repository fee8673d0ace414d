import type { PanelEndpoint } from '../../panel/endpoint.ts';
import { getSession } from './session/get-session.ts';
import { signInByLink } from './session/sign-in-by-link.ts';
import { signOut } from './session/sign-out.ts';
import { getSite } from './site/get-site.ts';

/** Every operation that only the panel has, in the order in which they are described. */
export const PANEL_ENDPOINTS: readonly PanelEndpoint[] = [getSite, signInByLink, getSession, signOut];
