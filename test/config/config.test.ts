import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../server/config/config.ts';
import { ConfigError } from '../../server/platform/config-error.ts';

const directory = mkdtempSync(join(tmpdir(), 'vauban-config-'));
after(() => rmSync(directory, { recursive: true }));

function configFile(text: string): string {
  const path = join(directory, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

/** Returns the problems for which `env` is refused. */
function problems(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems;
  }
  return assert.fail('the configuration was accepted');
}

test('an empty environment gives the defaults', () => {
  assert.deepEqual(loadConfig({ PATH: '/bin', VAUBAN_LISTEN: '', DATABASE_URL: '' }), {
    listen: { host: '127.0.0.1', port: 8080 },
    operatorListen: undefined,
    publicUrl: undefined,
    trustProxy: [],
    consoleOrigins: [],
    mode: 'development',
    dataDir: resolve('data'),
    poolDir: undefined,
    poolReserveMb: 1024,
    drainSeconds: 0,
    databaseUrl: undefined,
    secretKey: undefined,
    secretKeyFile: undefined,
    catalog: resolve(import.meta.dirname, '../../catalog.yaml'),
    compute: 'auto',
    edge: 'auto',
    edgeHelper: undefined,
    gateway: 'off',
    gatewayHelper: undefined,
    edgeDevices: undefined,
    edgePrefixes: [],
    flowspecGobgp: undefined,
    flowspecPrefixes: [],
    flowspecMaxAnnouncements: 500,
    flowspecBlackholeCommunity: '65535:666',
    flowsPipe: undefined,
    flowsSeconds: 1,
    qemuAccel: 'auto',
    qemuNetwork: 'auto',
    qemuUplink: undefined,
    hostHelper: undefined,
    incusCertificate: undefined,
    incusCpuOvercommit: 4,
    incusEndpoints: undefined,
    incusKey: undefined,
    incusNetwork: undefined,
    incusPool: 'default',
    incusProject: 'default',
    incusServerCertificate: undefined,
    incusServiceNetworks: undefined,
    qemuNameservers: ['9.9.9.9', '1.1.1.1'],
    qemuCpuOvercommit: 4,
    qemuMemoryMb: undefined,
    qemuDiskGb: undefined,
    qemuWarm: 'off',
    simulatorBootSeconds: 2,
    simulatorDiskGb: undefined,
    simulatorHosts: ['simulator'],
    simulatorMemoryMb: undefined,
    simulatorTemplates: undefined,
    qemuDedicatedCpus: undefined,
    panelName: 'Vauban',
    panelLogo: undefined,
    documentLogo: undefined,
    documentFont: undefined,
    panelBrandColor: '#2563c4',
    panelTermsUrl: undefined,
    panelSupportUrl: undefined,
    panelLanguages: ['en', 'de'],
    panelSignUp: undefined,
    operatorPanel: undefined,
    operatorPanelNetworks: [],
    mailSmtpUrl: undefined,
    mailSmtpUrlFile: undefined,
    mailFrom: undefined,
    paymentProviders: undefined,
    bankRecipient: undefined,
    bankIban: undefined,
    bankBic: undefined,
    stripeSecretKey: undefined,
    stripeSecretKeyFile: undefined,
    stripeWebhookSecret: undefined,
    stripeWebhookSecretFile: undefined,
    stripeBaseUrl: 'https://api.stripe.com',
    zones: undefined,
    agentProvider: 'runbook',
    agentModel: undefined,
    agentBaseUrl: undefined,
    agentApiKey: undefined,
    jobConcurrency: 32,
    rateLimitKey: 120,
    rateLimitAccount: 300,
    rateLimitIp: 300,
    rateLimitOpen: 3_000,
    logLevel: 'info',
  });
});

const KEY_BYTES = Buffer.alloc(32, 0xa7);

for (const [variable, text, name, expected] of [
  ['VAUBAN_LISTEN', '[::1]:8080', 'listen', { host: '::1', port: 8080 }],
  ['VAUBAN_LISTEN', 'localhost:0', 'listen', { host: 'localhost', port: 0 }],
  ['VAUBAN_OPERATOR_LISTEN', '0.0.0.0:9090', 'operatorListen', { host: '0.0.0.0', port: 9090 }],
  ['DATABASE_URL', 'postgresql://u:p@h/d', 'databaseUrl', 'postgresql://u:p@h/d'],
  ['DATABASE_URL', 'postgres://a:1,[::1]:2/d', 'databaseUrl', 'postgres://a:1,[::1]:2/d'],
  ['VAUBAN_TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1']],
  ['VAUBAN_QEMU_NAMESERVERS', '192.0.2.1, 2001:db8::1', 'qemuNameservers', ['192.0.2.1', '2001:db8::1']],
  ['VAUBAN_PUBLIC_URL', 'https://api.example.com/', 'publicUrl', 'https://api.example.com'],
  [
    'VAUBAN_CONSOLE_ORIGINS',
    'https://Panel.example:443/, http://[::1]:8081',
    'consoleOrigins',
    ['https://panel.example', 'http://[::1]:8081'],
  ],
  ['VAUBAN_SIMULATOR_BOOT_SECONDS', '0.05', 'simulatorBootSeconds', 0.05],
  ['VAUBAN_SECRET_KEY', KEY_BYTES.toString('hex'), 'secretKey', [KEY_BYTES]],
  ['VAUBAN_SECRET_KEY', KEY_BYTES.toString('base64'), 'secretKey', [KEY_BYTES]],
  [
    'VAUBAN_SECRET_KEY',
    `${KEY_BYTES.toString('hex')}, ${'0'.repeat(64)}`,
    'secretKey',
    [KEY_BYTES, Buffer.alloc(32)],
  ],
  ['VAUBAN_CATALOG', '/etc/vauban/catalog.yaml', 'catalog', '/etc/vauban/catalog.yaml'],
] as const) {
  test(`${variable}=${text}`, () => assert.deepEqual(loadConfig({ [variable]: text })[name], expected));
}

for (const [variable, text] of [
  ['VAUBAN_LISTEN', '8080'],
  ['VAUBAN_LISTEN', ':8080'],
  ['VAUBAN_LISTEN', '127.0.0.1:65536'],
  ['VAUBAN_LISTEN', '::1:8080'],
  ['VAUBAN_LISTEN', '[127.0.0.1]:8080'],
  ['DATABASE_URL', 'mysql://h/d'],
  ['DATABASE_URL', 'postgres://a:1,,b:2/d'],
  ['DATABASE_URL', 'postgres://a:1,b:x/d'],
  ['DATABASE_URL', 'postgres://a,b/d?target_session_attrs=any'],
  ['DATABASE_URL', `postgres://${Array(10).fill('a')}/d`],
  ['VAUBAN_TRUST_PROXY', '10.0.0.0/8,'],
  ['VAUBAN_TRUST_PROXY', '10.0.0.1/8'],
  ['VAUBAN_PUBLIC_URL', 'api.example.com'],
  ['VAUBAN_PUBLIC_URL', 'https://api.example.com/?a=1'],
  ['VAUBAN_CONSOLE_ORIGINS', 'panel.example'],
  ['VAUBAN_CONSOLE_ORIGINS', 'null'],
  ['VAUBAN_CONSOLE_ORIGINS', '*'],
  ['VAUBAN_CONSOLE_ORIGINS', 'https://*.example'],
  ['VAUBAN_CONSOLE_ORIGINS', 'https://panel.example/path'],
  ['VAUBAN_CONSOLE_ORIGINS', 'https://panel.example,'],
  ['VAUBAN_CONSOLE_ORIGINS', 'https://user@panel.example'],
  ['VAUBAN_JOB_CONCURRENCY', '0'],
  ['VAUBAN_RATE_LIMIT_KEY', '1e3'],
  ['VAUBAN_SIMULATOR_BOOT_SECONDS', '-1'],
  ['VAUBAN_SECRET_KEY', 'c2hvcnQ='],
  ['VAUBAN_MODE', 'Production'],
  ['VAUBAN_LOG_LEVEL', 'verbose'],
] as const) {
  test(`${variable}=${text} is refused by name`, () => {
    const [problem, ...others] = problems({ [variable]: text });
    assert.match(problem!, new RegExp(`^${variable}: must be `));
    assert.deepEqual(others, []);
  });
}

test('production refuses to guess', () => {
  const production = { VAUBAN_MODE: 'production' };
  assert.deepEqual(
    problems(production).map((problem) => problem.split(':')[0]),
    ['VAUBAN_PUBLIC_URL', 'VAUBAN_EDGE'],
  );
  const named = { VAUBAN_PUBLIC_URL: 'https://api.example.com', VAUBAN_EDGE: 'off' };
  assert.equal(loadConfig({ ...production, ...named }).mode, 'production');
});

test('every problem is named at once, and an unknown variable is one', () => {
  assert.deepEqual(problems({ VAUBAN_LISTN: 'x', VAUBAN_MODE: 'test', VAUBAN_JOB_CONCURRENCY: 'many' }), [
    'VAUBAN_LISTN: is not a setting',
    'VAUBAN_MODE: must be one of development, production, not "test"',
    'VAUBAN_JOB_CONCURRENCY: must be a whole number from 1 to 1000, not "many"',
  ]);
});

test('a wrong secret is not repeated', () => {
  assert.doesNotMatch(problems({ DATABASE_URL: 'hunter2', VAUBAN_SECRET_KEY: 'hunter2' }).join(), /hunter2/);
});

test('environment wins over file wins over default', () => {
  const path = configFile(
    'listen: 0.0.0.0:80\nlog_level: warn\njob_concurrency: 8\ntrust_proxy: [10.0.0.0/8, "::1"]\n',
  );
  const config = loadConfig({ VAUBAN_CONFIG: path, VAUBAN_JOB_CONCURRENCY: '4' });
  assert.deepEqual(config.listen, { host: '0.0.0.0', port: 80 });
  assert.equal(config.logLevel, 'warn');
  assert.equal(config.jobConcurrency, 4);
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1']);
  assert.equal(config.mode, 'development');
});

test('an empty file changes nothing', () => {
  assert.deepEqual(loadConfig({ VAUBAN_CONFIG: configFile('# nothing yet\n') }), loadConfig({}));
});

test('problems of a file are named with line and column, together with those of the environment', () => {
  const path = configFile('mode: production\nlisten: nowhere\ntrust_proxy:\n  - 10.0.0.1/8\n');
  assert.deepEqual(problems({ VAUBAN_CONFIG: path, VAUBAN_MODE: 'x' }), [
    `${path}:2:1: listen: must be host:port, such as 127.0.0.1:8080 or [::1]:8080, not "nowhere"`,
    `${path}:3:1: trust_proxy: must be addresses or CIDRs separated by commas, not "10.0.0.1/8"`,
    'VAUBAN_MODE: must be one of development, production, not "x"',
  ]);
});

for (const [fault, text, expected] of [
  ['a syntax error', 'mode: [production\nlisten: 1', /config\.yaml:\d+:\d+: /],
  ['a key given twice', 'mode: production\nmode: development\n', /config\.yaml:2:1: Map keys must be unique/],
  ['an unknown key', 'mode: production\nlistn: x\n', /config\.yaml:2:1: listn: is not a known key$/],
  ['a wrong type', 'job_concurrency: "8"\n', /config\.yaml:1:1: job_concurrency: must be integer/],
  ['an anchor that is not there', 'mode: *nowhere\n', /config\.yaml: Unresolved alias/],
  ['a list for a document', '- mode\n', /config\.yaml:1:1: must be object/],
] as const) {
  test(`${fault} in a file is refused`, () => {
    assert.match(problems({ VAUBAN_CONFIG: configFile(text) })[0]!, expected);
  });
}

test('a file that is not there is refused', () => {
  assert.match(
    problems({ VAUBAN_CONFIG: '/nowhere/config.yaml' })[0]!,
    /^\/nowhere\/config\.yaml: cannot be read/,
  );
});
