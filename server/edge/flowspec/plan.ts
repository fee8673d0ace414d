import type { EdgeRefusal, EdgeRule, EdgeTarget } from '../driver.ts';
import { type Component, componentsOf, InexpressibleError, nlriOf, order } from './components.ts';
import { mayOverlap } from './overlap.ts';
import { type Route, ruleRoute } from './route.ts';

/** The maximum size of a rule in BGP, including its length field. */
const MAX_NLRI_BYTES = 4_095;

/** The routes that a target's rules are announced as, and the rules that cannot be announced. */
export interface Plan {
  announced: { ruleId: string; route: Route }[];
  refused: EdgeRefusal[];
}

interface Said {
  rule: EdgeRule;
  /** Undefined if the rule is not announced. */
  components?: Component[];
}

/**
 * Decides which rules are announced. Routers evaluate rules in their own order and the first match decides, so a rule
 * is announced only if that order cannot change the fate of any packet: for each earlier rule that may match the same
 * packets, either both block, or routers evaluate that one first. The announced rules therefore never drop a packet
 * that the full list, in its own order, would let pass.
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
      if (nlri.length > MAX_NLRI_BYTES) throw new InexpressibleError('sourcePorts', 'it has too many ports');
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

/** Routers receive the rate as a 4-byte float, so it must be exactly representable. */
function bytesPerSecond(rate: EdgeRule['rate']): number {
  if (!rate) return 0;
  if (rate.unit === 'pps') {
    throw new InexpressibleError('rate', 'routers limit bits per second, not packets');
  }
  if (rate.perSource !== undefined) throw new InexpressibleError('rate', 'routers cannot limit each sender');
  const bytes = rate.value / 8;
  if (Math.fround(bytes) === bytes) return bytes;
  const near = 8 * Math.fround(bytes);
  throw new InexpressibleError('rate', `routers cannot be given this rate; the nearest is ${near} bps`);
}

function requireOrder(rule: EdgeRule, components: Component[], said: Said[]): void {
  for (const earlier of said) {
    if (earlier.rule.action === 'block' && rule.action === 'block') continue;
    if (!mayOverlap(earlier.rule.match, rule.match)) continue;
    if (earlier.components && order(earlier.components, components) < 0) continue;
    throw new InexpressibleError(
      'priority',
      `routers would check it before ${earlier.rule.id}, which must be checked first and may match the same packets`,
    );
  }
}
