import type { Section } from '../bench.ts';
import { atSite, whyNoGuests } from '../host-env.ts';

export const guests: Section = {
  name: 'guests',
  about: 'real guests, from their creation to a login',
  async run(bench) {
    const why = await whyNoGuests();
    return [
      ...(await atSite(bench, 'create-to-ssh.ts', 'create to SSH', why)),
      ...(await atSite(bench, 'warm.ts', 'warm create to SSH', why)),
    ];
  },
};
