import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The directory of Debian's packages of Go libraries. */
const LIBRARIES = '/usr/share/gocode';
/** The value that Terraform passes to a provider, so that the provider knows that it was not started by hand. */
export const COOKIE = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2';

/** Returns why the provider cannot be built here, or false. If VAUBAN_REQUIRE_GO is 1, that is an error. */
export function skipWithoutGo(): string | false {
  const reason = reasonAgainstGo();
  if (reason && process.env.VAUBAN_REQUIRE_GO === '1') throw new Error(reason);
  return reason;
}

function reasonAgainstGo(): string | false {
  if (!existsSync('/usr/bin/go')) return 'needs golang-go';
  const found = ['github.com/vmihailenco/msgpack/v5', 'google.golang.org/protobuf/encoding/protowire'].every(
    (library) => existsSync(`${LIBRARIES}/src/${library}`),
  );
  return found ? false : 'needs golang-github-vmihailenco-msgpack.v5-dev and golang-google-protobuf-dev';
}

/** Builds the provider like `npm run terraform`, in a directory that is removed with the test. */
export function build(t: Lifetime): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-terraform-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const program = join(directory, 'terraform-provider-vauban');
  // Without cgo: the machine need not have a C compiler.
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: LIBRARIES, GOFLAGS: '' };
  execFileSync('/usr/bin/go', ['build', '-o', program, '.'], { cwd: join(ROOT, 'terraform'), env });
  return program;
}

type Message = Record<string, unknown>;
export type Call = (method: string, request: Message) => Promise<Message>;

export interface Provider {
  call: Call;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
}

/** Starts the provider like Terraform: with a certificate, and a line that contains its address. */
export async function startProvider(
  t: Lifetime,
  program: string,
  env: Record<string, string> = {},
): Promise<Provider> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-terraform-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const { key, certificate } = newCertificate(directory);
  const child = spawn(program, {
    env: {
      TMPDIR: directory,
      TF_PLUGIN_MAGIC_COOKIE: COOKIE,
      PLUGIN_PROTOCOL_VERSIONS: '5,6',
      PLUGIN_CLIENT_CERT: certificate.toString(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  defer(t, kill);
  const [core, protocol, network, address, kind, pinned] = (await firstLine(child)).split('|');
  if (`${core}|${protocol}|${network}|${kind}` !== '1|6|unix|grpc') throw new Error('an unknown handshake');
  const client = connect(`unix:${address}`, pem(pinned!), key, certificate);
  defer(t, () => client.close());
  const call: Call = (method, request) =>
    new Promise((resolve, reject) =>
      client[method]!(request, (error: Error | null, response: Message) =>
        error ? reject(error) : resolve(response),
      ),
    );
  return { call, kill };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the provider ended without a line');
}

function newCertificate(directory: string): { key: Buffer; certificate: Buffer } {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const words = ['req', '-x509', ...curve, '-nodes', '-days', '1', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { key: readFileSync(key), certificate: readFileSync(certificate) };
}

/** Terraform reads base64 without padding, PEM has padding. */
const pem = (base64: string) => {
  const lines = Buffer.from(base64, 'base64')
    .toString('base64')
    .match(/.{1,64}/g)!;
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`);
};

function connect(address: string, pinned: Buffer, key: Buffer, certificate: Buffer) {
  const definition = loadSync(join(import.meta.dirname, 'protocol.proto'), {
    keepCase: true,
    enums: String,
    defaults: true,
  });
  const { tfplugin6 } = loadPackageDefinition(definition) as unknown as {
    tfplugin6: { Provider: ServiceClientConstructor };
  };
  return new tfplugin6.Provider(address, credentials.createSsl(pinned, key, certificate), {
    'grpc.ssl_target_name_override': 'localhost',
    'grpc.default_authority': 'localhost',
  });
}
