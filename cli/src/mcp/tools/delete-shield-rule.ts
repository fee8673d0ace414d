import { EXIT, Failure } from '../../failure.ts';
import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { TARGET, TENANT, targetOf } from '../shield.ts';
import { inputOf } from '../tool.ts';

const RULE = {
  rule: { type: 'string', minLength: 1, description: 'Its comment or id, as shown by shield_status' },
};

export const deleteShieldRule = confirmed<string[]>({
  preview: {
    name: 'preview_delete_shield_rule',
    title: 'Preview the deletion of a blocking rule',
    description: 'Shows the blocking rule that would be deleted; required before delete_shield_rule.',
    scopes: ['shield:read'],
  },
  action: {
    name: 'delete_shield_rule',
    title: 'Delete a blocking rule',
    description: 'Deletes a blocking rule. The traffic it dropped will reach the address again.',
    scopes: ['shield:write'],
  },
  input: inputOf({ ...TENANT, ...TARGET, ...RULE }),
  async look({ client, signal }, given) {
    const [tenant, target] = await targetOf(client, given);
    const id = await idOf(client, 'rules', given.rule as string, [tenant, target]);
    for await (const rule of client.shield.rules(tenant, target, { limit: 100 }, { signal }))
      if (rule.id === id) return { data: rule, terms: [tenant, target, id] };
    throw new Failure(EXIT.refused, 'There is no such rule.');
  },
  act: ({ client, signal }, _, [tenant, target, id]) =>
    client.shield.deleteRule(tenant!, target!, id!, { signal }),
});
