import { CONFIG_FILE_VARIABLE } from './config.ts';
import { fileKey, SETTINGS, type Setting } from './settings.ts';

/** Returns `docs/configuration.md`: every setting, generated from the code. */
export function configReference(): string {
  return `# Configuration

Settings come from environment variables or, if a variable is absent, from a YAML file named by
\`${CONFIG_FILE_VARIABLE}\`. A setting that is in neither has its default. Settings are read once, when the service starts. It
refuses to start with an invalid value or an unknown \`VAUBAN_*\` variable, and says what is wrong with each. An empty variable
counts as absent. Relative paths start from the working directory. On Kubernetes, set \`enableServiceLinks: false\`; otherwise
Kubernetes adds variables such as \`VAUBAN_SERVICE_HOST\` for a service called \`vauban\`.

With \`VAUBAN_MODE=production\` the service neither guesses nor simulates anything. It refuses to start, with one sentence for
each problem, unless \`VAUBAN_PUBLIC_URL\` and \`VAUBAN_EDGE\` are set and the compute engine works. If you do not name
Incus or the simulator in \`VAUBAN_COMPUTE\`, the engine is QEMU, which needs an image of something in the catalog and a
network that routes its guests. A simulator only runs if you name it. The exit status is 78 if you have to configure something,
and 69 if the problem may go away without that, for example if the host helper or the database is down.

The embedded database needs 32 MB of free disk space to open, and 80 MB the first time. With less, the start ends with status 69
and names the directory and the space it lacks. If the disk fills up later, requests that write are refused with 503 and
\`/readyz\` fails, while requests that only read continue as long as possible. If the database cannot even write its log, it
stops, and every request gets a 503 until it has been opened again. Both problems end automatically within seconds after 32 MB
are free. No acknowledged change is lost.

Guests' disks are also in the data directory unless \`VAUBAN_POOL_DIR\` names another directory, preferably on its own file
system. If both are on the same file system, guests leave \`VAUBAN_POOL_RESERVE_MB\` free: with less, nothing new is created
there, and a guest whose disk grows is paused until there is space ([qemu.md](qemu.md)). From 80 % on, the log contains
warnings; \`vauban_disk_used_ratio\` and \`vaubanctl doctor\` show how full each file system is.

| variable | key in the file | default | meaning |
|---|---|---|---|
${Object.values<Setting>(SETTINGS).map(row).join('\n')}

An example file; the schema in its first line gives you completion in an editor:

\`\`\`yaml
# yaml-language-server: $schema=./config.schema.json
listen: 0.0.0.0:8080
mode: production
public_url: https://api.example.com
compute: qemu
edge: off
trust_proxy: [10.0.0.0/8]
\`\`\`

The service has no TLS: put a proxy in front of it. [behind-a-proxy.md](behind-a-proxy.md) has tested configurations of nginx,
Caddy and HAProxy.
`;
}

function row(setting: Setting): string {
  const fallback = setting.defaultText ?? (setting.default ? `\`${setting.default}\`` : 'none');
  const meaning = `${setting.about} Must be ${setting.kind.expected}.`;
  return `| \`${setting.env}\` | \`${fileKey(setting)}\` | ${fallback} | ${meaning} |`;
}
