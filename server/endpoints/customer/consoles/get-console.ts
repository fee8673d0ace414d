import { TICKET_SECONDS } from '../../../consoles/limits.ts';
import { holderOf, issueTicket } from '../../../consoles/tickets.ts';
import { type EventText, recordCallerEvent } from '../../../domain/vms/events.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { webSocketUrl } from '../../../http/base-url.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { CLOSE_CODES, exampleTicket, Secret, ticketFields } from './ticket-shape.ts';

export const getConsole = endpoint({
  audience: 'customer',
  operation: 'getConsole',
  method: 'GET',
  path: '/v1/vm/{id}/console',
  scope: 'vm:console',
  tag: 'vm',
  summary: 'Get a one-time ticket for the screen of a VM',
  description: `The ticket opens one WebSocket at \`ws_url\` and is valid for ${TICKET_SECONDS} seconds. The
WebSocket carries RFB (VNC) in binary messages, as noVNC speaks it. Send the ticket in
\`Sec-WebSocket-Protocol\` (with \`binary\`), in \`Authorization: Bearer\` or as \`?ticket=\`:

    new RFB(element, ws_url, { wsProtocols: ['binary', ticket] })

A browser's \`Origin\` must be this service. ${CLOSE_CODES}`,
  secret: true,
  params: VmParams,
  data: Shape(
    {
      protocol: Type.Literal('vnc'),
      ws_url: Type.String({ description: 'Address of the WebSocket; contains no secret' }),
      ticket: Secret,
      password: Nullable(
        Type.String({ description: 'For VNC authentication; null if the screen needs no password' }),
      ),
      ...ticketFields,
    },
    { $id: 'ConsoleTicket' },
  ),
  errors: ['invalid_state', 'vm_suspended'],
  example: {
    protocol: 'vnc',
    ws_url: 'wss://cloud.example/console/vm_06f2v3n7k8q1m5x9z4b7c2d0gh/vnc',
    ticket: 'vct_q0hE2u6tTtC7b8y0zJ1mW3rXv5nA9cKdLfPgSiUoYeQ',
    password: null,
    ...exampleTicket,
  },
  load: loadVm,
  async handle({ resource: vm, services, caller, now, baseUrl }) {
    requireAllowed(vm, 'console');
    if (services.compute.capabilities().screen === 'none')
      throw new ApiError('invalid_state', 'This VM has no screen. Open a terminal instead.');
    // A GET that writes, because the specification requires it.
    const { secret, expiresAt } = await services.db.transaction(async (tx) => {
      const event: EventText = {
        type: 'console.ticket_issued',
        message: 'A ticket for the screen was issued.',
      };
      await recordCallerEvent(tx, services.clock, caller, vm.id, event);
      const terminal = { username: null, cols: null, rows: null };
      const owner = { account_id: vm.account_id, vm_id: vm.id, ...holderOf(caller) };
      return issueTicket(tx, services.secrets, { kind: 'vnc', ...owner, ...terminal }, now);
    });
    return {
      data: {
        protocol: 'vnc',
        ws_url: webSocketUrl(baseUrl(), `/console/${vm.id}/vnc`),
        ticket: secret,
        password: null,
        expires_at: expiresAt,
        expires_in_seconds: TICKET_SECONDS,
        single_use: true,
      },
    };
  },
});
