import type { PanelTag } from '../endpoint.ts';

export const TITLE = 'Vauban Panel API';
export const SUMMARY = "The operations of the control panel in addition to the customers' operations.";

export const TAGS: Record<PanelTag, { title: string; description: string }> = {
  site: { title: 'Site', description: 'Settings that are the same for everyone.' },
  session: { title: 'Sessions', description: 'Signing up, in and out.' },
  person: { title: 'Person', description: 'The signed-in person and their credentials.' },
  key: { title: 'API keys', description: 'Keys of the account, which no key may make.' },
  member: { title: 'Members', description: 'The people of an account.' },
  account: { title: 'Account', description: 'The account: its members, its audit log, and closing it.' },
  money: { title: 'Money', description: 'Top-ups, and what became of the money.' },
  vm: { title: 'VMs', description: 'Operations on VMs that only people can perform.' },
  live: { title: 'Changes', description: 'A stream of changes.' },
};

/** Rules that apply to every operation, in Markdown. */
export const CONVENTIONS = `
Made for the pages of the service itself, below \`/panel/api\`. The customers' operations of \`openapi.json\` stand there too, as \`/panel/api/v1/…\`, with a role in place of scopes.

A browser is known by its session cookie; a key is not looked at. Whatever is not a GET must come from our own pages, as \`Origin\` and \`Sec-Fetch-Site\` say. Each operation says under \`x-access\` who may call it: \`public\`, a \`person\` who has signed in, or who is at least \`viewer\`, \`operator\` or \`owner\` of the account that the session shows. With \`x-confirm\` the person must have signed in again within ten minutes, or is answered 403 \`confirmation_required\`.

Bodies, replies, errors, lists, money and time are as in the customers' API. A session may send 600 requests a minute.
`.trim();
