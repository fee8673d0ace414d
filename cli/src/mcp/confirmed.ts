import { type At, type Input, inputOf, type Tool } from './tool.ts';

/**
 * Something that costs money or destroys data: a preview of the terms, and the action, which happens on exactly these
 * terms or not at all.
 */
interface Confirmed<Terms> {
  /** The tool that shows the terms; it needs no confirmation. */
  preview: { name: string; title: string; description: string; scopes: string[] };
  action: { name: string; title: string; description: string; scopes: string[] };
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

/** Returns the preview tool and the action tool. */
export function confirmed<Terms>({ preview, action, input, look, act }: Confirmed<Terms>): Tool[] {
  return [
    {
      ...preview,
      power: 'read',
      input,
      async call(at, given) {
        const { data, terms } = await look(at, given);
        if (!at.offers(action.name)) return { data };
        const token = at.confirmations.issue(action.name, given, terms);
        return {
          said: `Nothing has been done yet. Show the user this preview. If they agree, call ${action.name} within five minutes with the same arguments and the confirmation ${token}`,
          data,
        };
      },
    },
    {
      ...action,
      // Without its preview, the action could never be called.
      scopes: [...new Set([...action.scopes, ...preview.scopes])],
      power: 'write',
      isDestructive: true,
      input: {
        ...input,
        properties: { ...input.properties, ...inputOf(CONFIRMATION).properties },
        required: [...input.required, 'confirmation'],
      },
      async call(at, { confirmation, ...given }) {
        const terms = at.confirmations.redeem<Terms>(action.name, given, confirmation as string);
        return { data: await act(at, given, terms) };
      },
    },
  ];
}
