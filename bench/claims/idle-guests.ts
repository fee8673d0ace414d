import type { Section } from '../bench.ts';
import { atSite, whyNoGuests } from '../host-env.ts';

export const idleGuests: Section = {
  name: 'idle-guests',
  about: 'what the service spends on guests that do nothing',
  async run(bench) {
    return atSite(bench, 'idle.ts', 'service memory and CPU of an idle VM', await whyNoGuests());
  },
};
