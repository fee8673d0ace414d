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

With \`VAUBAN_MODE=production\` nothing is guessed and nothing pretended: the start is refused, with one sentence for each
setting, unless \`VAUBAN_PUBLIC_URL\` is set, \`VAUBAN_EDGE\` is named, and QEMU works here, has an image of what is sold and
routes its guests. A simulator runs there only where it is named. The exit status is 78 for what has to be configured, and
69 for what may come back by itself, such as the host helper or the database.

The embedded database needs 32 MB of free disk to open (80 MB the first time); with less the start ends with status 69 and
says which directory lacks how much. Where the disk fills up later, what has to be written is refused with 503 and \`/readyz\`
fails, while what is only read goes on as long as it can. If the database cannot even write its log it breaks down, and
everything is 503 until it has been opened again. Both end by themselves within seconds once 32 MB are free; nothing that
was acknowledged is lost.

Guests' disks are in the data directory too unless \`VAUBAN_POOL_DIR\` names another, best on a file system of its own. Where
both are on one, guests leave \`VAUBAN_POOL_RESERVE_MB\` free: with less nothing new is made there, and a guest whose disk
grows stands still until there is room ([qemu.md](qemu.md)). From 80 % on the log warns, and \`vauban_disk_used_ratio\` and
\`vaubanctl doctor\` say how full each is.

| variable | key in the file | default | meaning |
|---|---|---|---|
${Object.values<Setting>(SETTINGS).map(row).join('\n')}

A file, with the schema for an editor's help:

\`\`\`yaml
# yaml-language-server: $schema=./config.schema.json
listen: 0.0.0.0:8080
mode: production
public_url: https://api.example.com
compute: qemu
edge: off
trust_proxy: [10.0.0.0/8]
\`\`\`

TLS belongs to a proxy in front: [behind-a-proxy.md](behind-a-proxy.md) has tested configurations of nginx, Caddy and
HAProxy.
`;
}

function row(setting: Setting): string {
  const fallback = setting.defaultText ?? (setting.default ? `\`${setting.default}\`` : 'none');
  const meaning = `${setting.about} Must be ${setting.kind.expected}.`;
  return `| \`${setting.env}\` | \`${fileKey(setting)}\` | ${fallback} | ${meaning} |`;
}
