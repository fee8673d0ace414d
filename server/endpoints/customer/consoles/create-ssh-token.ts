import { DEFAULT_COLS, DEFAULT_ROWS, MAX_TERMINAL_SIDE, TICKET_SECONDS } from '../../../consoles/limits.ts';
import { holderOf, issueTicket } from '../../../consoles/tickets.ts';
import { type EventText, recordCallerEvent } from '../../../domain/vms/events.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { defaultUser } from '../../../guest-ssh/connect.ts';
import { webSocketUrl } from '../../../http/base-url.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { USERNAME } from '../vms/inputs.ts';
import { loadVm } from '../vms/load-vm.ts';
import { CLOSE_CODES, exampleTicket, Secret, ticketFields } from './ticket-shape.ts';

const side = (preset: number) => Type.Integer({ minimum: 1, maximum: MAX_TERMINAL_SIDE, default: preset });

export const createSshToken = endpoint({
  audience: 'customer',
  operation: 'createSshToken',
  method: 'POST',
  path: '/v1/vm/{id}/ssh-token',
  scope: 'vm:console',
  tag: 'vm',
  summary: 'Create a one-time token for a terminal on a VM',
  description: `The token opens one WebSocket at \`ws_url\` and is valid for ${TICKET_SECONDS} seconds. Send it in
\`Sec-WebSocket-Protocol\`, in \`Authorization: Bearer\` or as \`?token=\`. The WebSocket is one of two things:

- A terminal, unless asked otherwise. The service logs in as \`username\` with the ops key, which the guest must
  accept, and starts a shell. Binary messages carry input and output; a text message
  \`{"type":"resize","cols":120,"rows":40}\` resizes.
- With the subprotocol \`vauban.ssh.raw\`, or \`?mode=raw\` at \`ws_url\`: the guest's port 22. Binary messages are the
  bytes of an SSH connection, in which your own SSH client logs in with its own credentials.

    new WebSocket(ws_url, ['vauban.ssh', token])

A browser's \`Origin\` must be this service. ${CLOSE_CODES}`,
  secret: true,
  params: VmParams,
  body: Input({
    username: Type.Optional(USERNAME),
    cols: Type.Optional(side(DEFAULT_COLS)),
    rows: Type.Optional(side(DEFAULT_ROWS)),
  }),
  data: Shape(
    {
      ws_url: Type.String({ description: 'Address of the WebSocket; contains no secret' }),
      token: Secret,
      username: Type.String({ description: 'User that is logged in' }),
      ...ticketFields,
    },
    { $id: 'SshToken' },
  ),
  errors: ['invalid_state', 'vm_suspended'],
  example: {
    ws_url: 'wss://cloud.example/console/vm_06f2v3n7k8q1m5x9z4b7c2d0gh/ssh',
    token: 'vct_q0hE2u6tTtC7b8y0zJ1mW3rXv5nA9cKdLfPgSiUoYeQ',
    username: 'debian',
    ...exampleTicket,
  },
  load: loadVm,
  async handle({ resource: vm, body, db, services, caller, now, baseUrl }) {
    requireAllowed(vm, 'ssh');
    const { username = defaultUser(services, vm), cols = DEFAULT_COLS, rows = DEFAULT_ROWS } = body;
    const event: EventText = {
      type: 'console.token_issued',
      message: `A token for a terminal as ${username} was issued.`,
      metadata: { username },
    };
    await recordCallerEvent(db, services.clock, caller, vm.id, event);
    const owner = { account_id: vm.account_id, vm_id: vm.id, ...holderOf(caller) };
    const ticket = { kind: 'ssh' as const, ...owner, username, cols, rows };
    const { secret, expiresAt } = await issueTicket(db, services.secrets, ticket, now);
    return {
      data: {
        ws_url: webSocketUrl(baseUrl(), `/console/${vm.id}/ssh`),
        token: secret,
        username,
        expires_at: expiresAt,
        expires_in_seconds: TICKET_SECONDS,
        single_use: true,
      },
    };
  },
});
