import type { Section } from '../bench.ts';
import { atSite, whyNoGuests } from '../host-env.ts';

export const guestNeighbours: Section = {
  name: 'guest-neighbours',
  about: 'what a guest notices of another one that floods disk, network or processor',
  async run(bench) {
    return atSite(bench, 'neighbours.ts', 'a neighbour floods ÷ quiet', await whyNoGuests());
  },
};
