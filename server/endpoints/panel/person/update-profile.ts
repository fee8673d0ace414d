import { updatePerson } from '../../../db/queries/access/people.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { PersonShape, presentPerson } from '../session/session-shape.ts';
import { Locale, PersonName } from '../shared/inputs.ts';

export const updateProfile = endpoint({
  audience: 'panel',
  operation: 'updateProfile',
  method: 'PATCH',
  path: '/person',
  access: 'person',
  tag: 'person',
  summary: 'Change the name and the language of the person',
  body: Input({ name: Type.Optional(PersonName), locale: Type.Optional(Locale) }, { minProperties: 1 }),
  data: PersonShape,
  errors: [],
  async handle({ db, body: { name, locale }, session }) {
    const person = await updatePerson(db, session.personId, { name: name?.trim(), locale });
    return { data: presentPerson(person) };
  },
});
