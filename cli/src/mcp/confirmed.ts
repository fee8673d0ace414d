import { type At, type Input, inputOf, type Tool } from './tool.ts';

/** Something that costs or destroys: what it comes to, and the deed, which is done on these terms or not at all. */
interface Confirmed<Terms> {
  /** The tool that shows what it comes to; anyone may look. */
  preview: { name: string; title: string; description: string; scopes: string[] };
  /** The tool that does it. */
  deed: { name: string; title: string; description: string; scopes: string[] };
  input: Input;
  look(at: At, input: Record<string, unknown>): Promise<{ data: unknown; terms: Terms }>;
  act(at: At, input: Record<string, unknown>, terms: Terms): Promise<unknown>;
}

const CONFIRMATION = {
  confirmation: {
    type: 'string',
    description: 'From the preview of exactly these arguments, once the user has seen it and agreed',
  },
};

/** The two tools of something that takes a confirmation. */
export function confirmed<Terms>({ preview, deed, input, look, act }: Confirmed<Terms>): Tool[] {
  return [
    {
      ...preview,
      power: 'read',
      input,
      async call(at, given) {
        const { data, terms } = await look(at, given);
        if (!at.offers(deed.name)) return { data };
        const token = at.confirmations.issue(deed.name, given, terms);
        return {
          said: `Nothing was done yet. Show the user what it comes to. If they agree, call ${deed.name} within five minutes with the same arguments and the confirmation ${token}`,
          data,
        };
      },
    },
    {
      ...deed,
      // One without its preview could never be called.
      scopes: [...new Set([...deed.scopes, ...preview.scopes])],
      power: 'write',
      isDestructive: true,
      input: {
        ...input,
        properties: { ...input.properties, ...inputOf(CONFIRMATION).properties },
        required: [...input.required, 'confirmation'],
      },
      async call(at, { confirmation, ...given }) {
        const terms = at.confirmations.redeem<Terms>(deed.name, given, confirmation as string);
        return { data: await act(at, given, terms) };
      },
    },
  ];
}
