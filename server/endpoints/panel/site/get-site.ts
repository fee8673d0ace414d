import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const Colour = (description: string) => Type.String({ description, examples: ['#2b4c7e'] });
const Link = (description: string) => Nullable(Type.String({ description }));

export const getSite = endpoint({
  audience: 'panel',
  operation: 'getSite',
  method: 'GET',
  path: '/site',
  access: 'public',
  tag: 'site',
  summary: 'Get the name of the panel and its options before sign-in',
  data: Shape(
    {
      name: Type.String({ description: 'Name of the service' }),
      logo_url: Link('Logo, shown instead of the name'),
      colour: Colour("The hoster's color for the light theme"),
      colour_dark: Colour('A shade of it for the dark theme'),
      languages: Type.Array(Enum(['en', 'de']), {
        description: 'Available languages; the first is the default',
      }),
      sign_up: Enum(['open', 'invitation', 'closed'], { description: 'People who may sign up' }),
      terms_url: Link('Terms of service'),
      support_url: Link('Address of the support page'),
      currency: Type.String({ description: 'ISO 4217 code of all prices' }),
      development: Type.Boolean({ description: 'True for a demo service with simulated payments' }),
      signed_in: Type.Boolean({ description: 'True if this browser has a session' }),
    },
    { $id: 'Site', description: 'Settings that are the same for everyone' },
  ),
  errors: [],
  async handle({ session, services: { brand, config, catalog } }) {
    const { name, logo, light, dark, languages, signUp, termsUrl, supportUrl } = brand;
    return {
      data: {
        name,
        logo_url: logo && `/panel/logo?${logo.hash}`,
        colour: light.color,
        colour_dark: dark.color,
        languages,
        sign_up: signUp,
        terms_url: termsUrl,
        support_url: supportUrl,
        currency: catalog.currency,
        development: config.mode === 'development',
        signed_in: session?.stage === 'signed_in',
      },
    };
  },
});
