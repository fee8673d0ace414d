import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { errorRows, fieldRows } from './errors.ts';
import { BASICS, ERRORS, guideUrl, OBJECTS, operationUrl } from './links.ts';
import type { Guide } from './pages.ts';
import { type Entry, RESOURCES } from './roster.ts';
import { samplesOf } from './samples.ts';

/** Returns `/llms.txt`: an overview of the documentation, for language models and anyone who wants it in one text. */
export function llmsTxt({ info }: OpenApiDocument, roster: Entry[], guides: readonly Guide[]): string {
  const groups = Object.entries(RESOURCES).map(([resource, heading]) => {
    const lines = roster
      .filter((entry) => entry.resource === resource)
      .map(
        ({ id, method, path, operation }) =>
          `- [${operation.summary}](${operationUrl(id)}): \`${method} ${path}\`, scope \`${operation['x-required-scope']}\``,
      );
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  return [
    `# ${info.title}\n\n> ${info.summary}\n`,
    'All paths are below the address that this text was read from. Send the key as `Authorization: Bearer vk_…`.\n',
    `## Guides\n\n${guides.map(({ name, title, about }) => `- [${title}](${guideUrl(name)}): ${about}`).join('\n')}\n`,
    ...groups,
    '## Details\n',
    [
      `- [Basics](${BASICS}): conventions of every operation`,
      `- [Objects](${OBJECTS}), [errors](${ERRORS})`,
      '- [openapi.json](/openapi.json): the whole API, OpenAPI 3.1',
      '- [llms-full.txt](/llms-full.txt): all guides, basics, operations with samples, and errors in one text',
    ].join('\n'),
    '',
  ].join('\n');
}

/** Returns `/llms-full.txt`: the whole documentation. */
export function llmsFullTxt(document: OpenApiDocument, roster: Entry[], guides: readonly Guide[]): string {
  const { info } = document;
  const operations = roster.map((entry) => {
    const { method, path, operation } = entry;
    const { curl, cli, typescript } = samplesOf(document, entry);
    return [
      `## ${operation.summary}\n`,
      `\`${method} ${path}\`, scope \`${operation['x-required-scope']}\`\n`,
      ...(operation.description ? [`${operation.description}\n`] : []),
      `\`\`\`sh\n${curl}\n\`\`\`\n\n\`\`\`sh\n${cli}\n\`\`\`\n\n\`\`\`ts\n${typescript.trimEnd()}\n\`\`\`\n`,
    ].join('\n');
  });
  const errors = errorRows(document).map(
    ({ status, code, meaning }) => `- ${status} \`${code}\`: ${meaning}`,
  );
  const fields = fieldRows(document).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return [
    `# ${info.title}\n\n> ${info.summary}\n`,
    ...guides.map(({ title, about, text }) => `# ${title}\n\n${about}\n\n${text.trim()}\n`),
    `# Basics\n\n${info.description}\n`,
    '# Operations\n',
    ...operations,
    `# Errors\n\n${errors.join('\n')}\n`,
    `# Invalid fields\n\n${fields.join('\n')}\n`,
  ].join('\n');
}
