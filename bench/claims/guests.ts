import type { Section } from '../bench.ts';
import { atSite, whyNoGuests } from '../site.ts';

export const guests: Section = {
  name: 'guests',
  about: 'real guests, from their creation to a login',
  async run(bench) {
    return atSite(bench, 'create-to-ssh.ts', 'create to SSH', await whyNoGuests());
  },
};
