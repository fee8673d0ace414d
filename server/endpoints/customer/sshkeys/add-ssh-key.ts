import { MAX_PUBLIC_KEY_LENGTH, parsePublicKey } from '../../../domain/sshkeys/public-key.ts';
import { storeSshKey } from '../../../domain/sshkeys/store-key.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Name } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleSshKey, presentSshKey, SshKeyShape } from './ssh-key-shape.ts';

export const addSshKey = endpoint({
  audience: 'customer',
  operation: 'addSshKey',
  method: 'POST',
  path: '/v1/vm/sshkeys',
  scope: 'sshkey:write',
  tag: 'sshkey',
  summary: 'Store an SSH key',
  description:
    'Accepts Ed25519, ECDSA, RSA with at least 2048 bits, and keys of security tokens (`sk-…`). `details.fields` of a ' +
    'refusal says `not_allowed` (a private key), `invalid_format`, `not_supported` (DSA, certificates) or `too_weak`. ' +
    'A key that the account already has is refused with `details.existing_id`, whatever its name or comment.',
  body: Input({
    name: Name('laptop'),
    public_key: Type.String({
      minLength: 1,
      maxLength: MAX_PUBLIC_KEY_LENGTH,
      description: 'One line in OpenSSH format: type, base64 and optionally a comment',
      examples: [exampleSshKey.public_key],
    }),
  }),
  data: SshKeyShape,
  errors: ['ssh_key_exists', 'quota_exceeded'],
  example: exampleSshKey,
  async handle({ caller, body, db, services }) {
    const key = { account_id: caller.accountId, name: body.name.trim(), ...parsePublicKey(body.public_key) };
    return { data: presentSshKey(await storeSshKey(db, services, key)) };
  },
});
