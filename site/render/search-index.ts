import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { basicsUrl, errorUrl, guideUrl, objectUrl, operationUrl } from './links.ts';
import { headings } from './markdown.ts';
import type { Guide } from './pages.ts';
import type { Entry } from './roster.ts';

/** One entry of the search index: its title, its kind, its address, and other words that lead to it. */
export type Found = [title: string, kind: string, url: string, words: string];

/** Returns the search index, with the likeliest kinds first. */
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
