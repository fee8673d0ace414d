import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from '../../../server/compute/incus/client.ts';

/** Returns the certificate of a test's service, created on first use, and that of the cluster below `directory`. */
export async function incusIdentity(directory: string, name = 'client'): Promise<Identity> {
  const { certificate, key } = await freshCertificate(directory, name);
  return {
    certificate,
    key,
    serverCertificate: await readFile(join(directory, 'm1/incus/cluster.crt'), 'utf8'),
  };
}

/** Creates a certificate without the cluster's. */
export async function freshCertificate(directory: string, name = 'client') {
  const [certificate, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  const read = (path: string) => readFile(path, 'utf8');
  if ((await read(key).catch(() => undefined)) === undefined) {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const files = ['-keyout', key, '-out', certificate, '-days', '30', '-subj', `/CN=${name}`];
    await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...files]);
  }
  return { certificate: await read(certificate), key: await read(key) };
}
