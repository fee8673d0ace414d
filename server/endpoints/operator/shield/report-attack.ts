import { EDGE_CLASSES } from '../../../edge/driver.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Id, Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { reportAttack as report } from '../../../shield/report.ts';
import { requireAddress } from './target-shape.ts';

/** A thousand times the size of the largest attacks on record. */
const MAX_PPS = 10_000_000_000;
const MAX_BPS = 10_000_000_000_000;
/** A day: after this, an attack whose end is never reported counts as over. */
const MAX_SECONDS = 86_400;
const MAX_PORTS = 1_000;
const MAX_PORT = 65_535;

const Whole = (maximum: number, description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum, description, examples: [example] });
const volume = {
  packets: Whole(MAX_PPS, 'Packets per second', 98_350),
  bytes: Whole(MAX_BPS, 'Bytes per second', 137_690_000),
};

export const reportAttack = endpoint({
  audience: 'operator',
  operation: 'reportAttack',
  method: 'POST',
  path: '/attacks/reports',
  tag: 'shield',
  summary:
    'Report an attack detected by another program; rules are created according to the mode of the target',
  body: Input({
    ip: Type.String({
      maxLength: 45,
      description: 'The address that is attacked',
      examples: ['203.0.113.9'],
    }),
    pps: Whole(MAX_PPS, 'Incoming packets per second', 98_350),
    bps: Whole(MAX_BPS, 'Incoming bits per second', 1_101_520_000),
    classes: Type.Array(Input({ class: Enum(EDGE_CLASSES), ...volume }), {
      maxItems: EDGE_CLASSES.length,
      description: 'Rates by class of traffic',
    }),
    ports: Type.Array(
      Input({ protocol: Enum(['tcp', 'udp']), port: Whole(MAX_PORT, 'Source port', 53), ...volume }),
      { maxItems: MAX_PORTS, description: 'Some of its sources' },
    ),
    seconds: Type.Integer({
      minimum: 1,
      maximum: MAX_SECONDS,
      description: 'How long it lasts unless it is reported again or ended',
      examples: [1_900],
    }),
  }),
  data: Shape(
    { attack_id: Id('atk') },
    { $id: 'ReportedAttack', description: 'An attack that was reported' },
  ),
  errors: ['invalid_state'],
  async handle({ body: { ip, pps, bps, classes, ports, seconds }, services }) {
    requireAddress(ip);
    const byClass = Object.fromEntries(classes.map(({ class: name, ...counted }) => [name, counted]));
    const id = await report(services, { ip, rate: { pps, bps }, classes: byClass, ports, seconds });
    services.logger.info({ ip, attack_id: id, pps, bps }, 'attack reported');
    return { data: { attack_id: id } };
  },
});
