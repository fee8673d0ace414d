import type { Section } from '../bench.ts';
import { atSite, whyNoSite } from '../host-env.ts';

export const rules: Section = {
  name: 'rules',
  about: "every guest's firewall rules made anew",
  run: (bench) => atSite(bench, 'rules.ts', 'rules made anew', whyNoSite()),
};
