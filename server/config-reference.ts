import { CONFIG_FILE_VARIABLE } from './config.ts';
import { fileKey, SETTINGS, type Setting } from './settings.ts';

/** `docs/configuration.md`: every setting, as the code has it. */
export function configReference(): string {
  return `# Configuration

Settings come from the environment, else from a YAML file named by \`${CONFIG_FILE_VARIABLE}\`, else they have a
default. They are read once, at the start; the service refuses to start with a wrong value or an unknown
\`VAUBAN_*\` variable and says what is wrong with each. An empty variable counts as absent. Relative paths are
taken from the working directory. On Kubernetes set \`enableServiceLinks: false\`: it would otherwise invent
variables such as \`VAUBAN_SERVICE_HOST\` for a service that is called \`vauban\`.

| variable | key in the file | default | meaning |
|---|---|---|---|
${Object.values<Setting>(SETTINGS).map(row).join('\n')}

A file, with the schema for an editor's help:

\`\`\`yaml
# yaml-language-server: $schema=./config.schema.json
listen: 0.0.0.0:8080
mode: production
trust_proxy: [10.0.0.0/8]
\`\`\`
`;
}

function row(setting: Setting): string {
  const fallback = setting.defaultText ?? (setting.default ? `\`${setting.default}\`` : 'none');
  const meaning = `${setting.about} Must be ${setting.kind.expected}.`;
  return `| \`${setting.env}\` | \`${fileKey(setting)}\` | ${fallback} | ${meaning} |`;
}
