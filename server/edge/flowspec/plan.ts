import type { EdgeRefusal, EdgeRule, EdgeTarget } from '../driver.ts';
import { type Component, componentsOf, InexpressibleError, nlriOf, order } from './components.ts';
import { mayOverlap } from './overlap.ts';
import { type Route, ruleRoute } from './route.ts';

/** Of a rule in BGP, its length included. */
const MAX_NLRI_BYTES = 4_095;

/** What routers are to be told of a target's rules, and what they cannot be told. */
export interface Plan {
  announced: { ruleId: string; route: Route }[];
  refused: EdgeRefusal[];
}

interface Said {
  rule: EdgeRule;
  /** Undefined where the rule is not announced. */
  components?: Component[];
}

/**
 * Which rules are announced. Routers ask rules in an order of their own and the first match decides, so one is announced
 * only where that cannot change the fate of any packet: for each rule in front of it that may take the same packets,
 * either both block, or routers ask that one first. Thus what is announced never drops what all the rules, in their own
 * order, would let pass.
 */
export function planOf({ id: targetId, ip, family, rules }: EdgeTarget): Plan {
  const said: Said[] = [];
  const plan: Plan = { announced: [], refused: [] };
  for (const rule of rules) {
    try {
      const components = componentsOf(rule.match, ip, family);
      const rate = bytesPerSecond(rule.rate);
      requireOrder(rule, components, said);
      const nlri = nlriOf(components);
      if (nlri.length > MAX_NLRI_BYTES)
        throw new InexpressibleError('sourcePorts', 'there are too many ports');
      plan.announced.push({ ruleId: rule.id, route: ruleRoute(family, nlri, rate) });
      said.push({ rule, components });
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      plan.refused.push({ targetId, ruleId: rule.id, field: error.part, message: error.message });
      said.push({ rule });
    }
  }
  return plan;
}

/** Routers are told the rate as a number of four bytes: it must be exactly that. */
function bytesPerSecond(rate: EdgeRule['rate']): number {
  if (!rate) return 0;
  if (rate.unit === 'pps') {
    throw new InexpressibleError('rate', 'routers limit by bits a second, not by packets');
  }
  if (rate.perSource !== undefined) throw new InexpressibleError('rate', 'routers cannot limit each sender');
  const bytes = rate.value / 8;
  if (Math.fround(bytes) === bytes) return bytes;
  const near = 8 * Math.fround(bytes);
  throw new InexpressibleError(
    'rate',
    `routers cannot be told this number; ${near} bps is the nearest they can`,
  );
}

function requireOrder(rule: EdgeRule, components: Component[], said: Said[]): void {
  for (const earlier of said) {
    if (earlier.rule.action === 'block' && rule.action === 'block') continue;
    if (!mayOverlap(earlier.rule.match, rule.match)) continue;
    if (earlier.components && order(earlier.components, components) < 0) continue;
    throw new InexpressibleError(
      'priority',
      `routers would ask it before ${earlier.rule.id}, which is to be asked first and may take the same packets`,
    );
  }
}
