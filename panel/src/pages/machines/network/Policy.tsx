import { useMemo } from 'react';
import { useTexts } from '../../../texts.ts';
import { State } from '../../../ui/Badge.tsx';
import { Card } from '../../../ui/Page.tsx';
import { Mono } from '../../../ui/Values.tsx';
import { type AddressSet, hasAll, isEmpty, isSame, minus, networksOf } from './addresses.ts';
import {
  type Direction,
  effectivePolicy,
  type Opening,
  type PolicyChange,
  type Ports,
  TRAFFIC,
  type Traffic,
  whole,
} from './effective-policy.ts';
import type { FirewallState } from './Firewall.tsx';
import classes from './network.module.css';
import { networkTexts } from './texts.ts';

/** Up to this many networks are listed; the rest is counted. */
const NAMED = 6;

/** Describes the effective policy of a direction in words. */
export function Policy({ state, direction }: { state: FirewallState; direction: Direction }) {
  const t = useTexts(networkTexts);
  const { openings } = useMemo(
    () => effectivePolicy(state.rules, direction, state.otherwise[direction]),
    [state, direction],
  );
  const isAll = TRAFFIC.every((traffic) => {
    const own = openings.filter((opening) => opening.traffic === traffic);
    return own.length === 1 && isSame(own[0]!.peers, whole(traffic)) && isWhole(own[0]!.ports);
  });
  return (
    <Card title={direction === 'in' ? t.policyIn : t.policyOut}>
      {isAll && <State tone="ok">{direction === 'in' ? t.allIn : t.allOut}</State>}
      {openings.length === 0 && (
        <State tone="faint" shape="square">
          {direction === 'in' ? t.nothingIn : t.nothingOut}
        </State>
      )}
      {!isAll && openings.length > 0 && (
        <>
          <ul className={classes.openings}>
            {openings.map((opening) => (
              <li key={`${opening.traffic} ${opening.ports?.from}`}>
                <Kind {...opening} />
                <Peers peers={opening.peers} traffic={opening.traffic} direction={direction} />
              </li>
            ))}
          </ul>
          <p className={classes.rest}>{direction === 'in' ? t.restIn : t.restOut}</p>
        </>
      )}
      {direction === 'out' && <p className={classes.rest}>{t.mailPort}</p>}
    </Card>
  );
}

/** Describes what a change opens and closes. */
export function Changes({ changes, direction }: { changes: readonly PolicyChange[]; direction: Direction }) {
  const t = useTexts(networkTexts);
  if (changes.length === 0) return <p className={classes.rest}>{t.noChange}</p>;
  const part = (change: PolicyChange, kind: 'opened' | 'closed') =>
    !isEmpty(change[kind]) && (
      <li key={`${kind} ${change.traffic} ${change.ports?.from}`}>
        <State tone={kind === 'opened' ? 'ok' : 'bad'} shape={kind === 'opened' ? 'dot' : 'square'}>
          {t[kind]}
        </State>
        <span>
          <Kind {...change} /> <Peers peers={change[kind]} traffic={change.traffic} direction={direction} />
        </span>
      </li>
    );
  return (
    <ul className={classes.changes}>
      {changes.map((change) => part(change, 'opened'))}
      {changes.map((change) => part(change, 'closed'))}
    </ul>
  );
}

const isWhole = (ports: Ports) => ports === null || (ports.from === 1 && ports.to === 65_535);

function Kind({ traffic, ports }: Pick<Opening, 'traffic' | 'ports'>) {
  const t = useTexts(networkTexts);
  if (traffic === 'other') return <b className={classes.kind}>{t.otherTraffic}</b>;
  const range =
    ports && !isWhole(ports) ? ` ${ports.from === ports.to ? ports.from : `${ports.from}–${ports.to}`}` : '';
  const all = ports && isWhole(ports) ? `, ${t.allPorts}` : '';
  return <b className={classes.kind}>{`${NAMES[traffic]}${range}${all}`}</b>;
}

const NAMES: Record<Exclude<Traffic, 'other'>, string> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  esp: 'ESP',
  gre: 'GRE',
};

function Peers({ peers, traffic, direction }: { peers: AddressSet; traffic: Traffic; direction: Direction }) {
  const t = useTexts(networkTexts);
  const all = whole(traffic);
  const [from, but] = direction === 'in' ? [t.from, t.fromAllBut] : [t.to, t.toAllBut];
  if (isSame(peers, all)) return <span>{direction === 'in' ? t.fromAll : t.toAll}</span>;
  if (isEmpty({ 4: peers[4], 6: [] }) && hasAll(6, peers)) return <span>{`${from} IPv6`}</span>;
  if (isEmpty({ 4: [], 6: peers[6] }) && hasAll(4, peers)) return <span>{`${from} IPv4`}</span>;
  // Lists the allowed networks or the blocked ones, whichever is shorter.
  const own = networksOf(peers, NAMED);
  const missing = networksOf(minus(all, peers), NAMED);
  const isShorter = missing.networks.length + missing.more < own.networks.length + own.more;
  const { networks, more } = isShorter ? missing : own;
  return (
    <span>
      {isShorter ? but : from} <Mono>{networks.join(', ')}</Mono>
      {more > 0 && ` ${t.andMore(more)}`}
    </span>
  );
}
