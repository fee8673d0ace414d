import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { basicsUrl, errorUrl, guideUrl, objectUrl, operationUrl } from './links.ts';
import { headings } from './markdown.ts';
import type { Guide } from './pages.ts';
import type { Entry } from './roster.ts';

/** What can be found: its title, what kind of thing it is, where it is, and other words for it. */
export type Found = [title: string, kind: string, url: string, words: string];

/** What the search looks through, the likeliest kinds first. */
export function searchIndex(document: OpenApiDocument, roster: Entry[], guides: readonly Guide[]): Found[] {
  return [
    ...roster.map(
      ({ id, method, path, operation, resource, name, command, parameters, body }): Found => [
        operation.summary,
        method,
        operationUrl(id),
        [
          id,
          path,
          `${resource}.${name}`,
          command.replace(/^vauban (\S+ \S+).*/, '$1'),
          ...parameters.filter((one) => one.in === 'query').map((one) => one.name),
          ...Object.keys(body?.schema.properties ?? {}),
        ].join(' '),
      ],
    ),
    ...guides.flatMap(({ name, title, about, text }): Found[] => [
      [title, 'Guide', guideUrl(name), about],
      ...headings(text).map(
        (heading): Found => [`${title}: ${heading.title}`, 'Guide', `${guideUrl(name)}#${heading.id}`, ''],
      ),
    ]),
    ...headings(document.info.description).map(
      ({ id, title }): Found => [title, 'Basics', basicsUrl(id), ''],
    ),
    ...(document.components.schemas.ErrorCode!.enum as string[]).map(
      (code): Found => [code, 'Error', errorUrl(code), ''],
    ),
    ...Object.entries(document.components.schemas).map(
      ([name, { properties = {} }]): Found => [
        name,
        'Object',
        objectUrl(name),
        Object.keys(properties).join(' '),
      ],
    ),
  ];
}
