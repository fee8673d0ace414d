import { MAX_VIEWERS, SHARES_PER_VM } from '../../../consoles/limits.ts';
import { generateSecret, hashSecret } from '../../../consoles/secret.ts';
import { countActiveShares, insertShare } from '../../../db/queries/vms/console-shares.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Name, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { exampleShare, presentShare, SHARE_MODES, shareFields } from './share-shape.ts';

const MIN_TTL_SECONDS = 300;
const MAX_TTL_SECONDS = 86_400;
const DEFAULT_TTL_SECONDS = 3_600;
const DEFAULT_VIEWERS = 10;

export const createConsoleShare = endpoint({
  audience: 'customer',
  operation: 'createConsoleShare',
  method: 'POST',
  path: '/v1/vm/{id}/console-shares',
  scope: 'vm:console',
  tag: 'vm',
  summary: 'Create a share link for a terminal on a VM',
  description: `Everyone who opens \`url\` sees a terminal on the VM, logged in as the default user of its template. All
viewers of a link share one session; later viewers see the current screen. In \`read_only\` mode, the service
ignores all input from viewers. The secret is the URL's fragment, which browsers do not send, and is only in this
response. The link ends when it expires or is deleted, or when the API key that created it is revoked; its viewers
are then disconnected. The page opens the WebSocket \`/share/{id}/socket\` with the subprotocols \`vauban.share\` and the secret:
binary messages are the terminal's bytes; a text message \`{"type":"state","cols","rows","mode","viewers"}\` reports a
change; a viewer who may type sends binary messages and \`{"type":"resize","cols","rows"}\`.`,
  secret: true,
  params: VmParams,
  body: Input({
    mode: Enum(SHARE_MODES, { $id: 'ShareMode' }),
    ttl_seconds: Type.Optional(
      Type.Integer({ minimum: MIN_TTL_SECONDS, maximum: MAX_TTL_SECONDS, default: DEFAULT_TTL_SECONDS }),
    ),
    label: Type.Optional(Nullable(Name('for support'))),
    max_viewers: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_VIEWERS, default: DEFAULT_VIEWERS })),
  }),
  data: Shape(
    { ...shareFields, url: Type.String({ description: 'Shown once: the fragment is a secret' }) },
    { $id: 'NewConsoleShare' },
  ),
  errors: ['invalid_state', 'vm_suspended', 'quota_exceeded'],
  example: {
    ...exampleShare,
    url: `https://cloud.example/share/${exampleShare.id}#vcs_q0hE2u6tTtC7b8y0zJ1mW3rXv5nA9cKdLfPgSiUoYeQ`,
  },
  load: loadVmForChange,
  async handle({ resource: vm, body, db, services, caller, now, baseUrl }) {
    requireAllowed(vm, 'ssh');
    const used = await countActiveShares(db, vm.id, now);
    if (used >= SHARES_PER_VM) {
      const details = { limit: SHARES_PER_VM, used, resource: 'console_shares_per_vm' };
      throw new ApiError('quota_exceeded', `A VM can have at most ${SHARES_PER_VM} share links.`, details);
    }
    const { mode, ttl_seconds = DEFAULT_TTL_SECONDS, label = null, max_viewers = DEFAULT_VIEWERS } = body;
    const secret = generateSecret('vcs', services.secrets);
    const share = {
      id: newId('shr', services.clock),
      account_id: vm.account_id,
      vm_id: vm.id,
      principal_id: caller.principal.id,
      mode,
      label: label?.trim() ?? null,
      max_viewers,
      created_at: now,
      expires_at: new Date(now.getTime() + ttl_seconds * 1000),
    };
    const row = await insertShare(db, share, hashSecret(secret));
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'console_share.created',
      message: `A share link for a terminal was created (${mode}).`,
      metadata: { share_id: row.id, mode, expires_at: row.expires_at.toISOString() },
    });
    return { data: { ...presentShare(row), url: `${baseUrl()}/share/${row.id}#${secret}` } };
  },
});
