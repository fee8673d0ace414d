import { type ClusterInfo, incus, instanceOf } from './layout.ts';

/** Removes the SSH server from a VM, effective from its next boot. */
export async function silence(info: ClusterInfo, id: string): Promise<void> {
  await incus(info, 'exec', instanceOf(id), '--', 'rm', '/usr/bin/dropbear');
}

/** Makes Incus refuse to delete a VM's instance. */
export async function protectInstance(info: ClusterInfo, id: string): Promise<void> {
  await incus(info, 'config', 'set', instanceOf(id), 'security.protection.delete=true');
}

/** Deletes all instances of a cluster, including protected ones, and all ACLs. */
export async function removeInstances(info: ClusterInfo): Promise<void> {
  for (const name of await names(info, 'list')) {
    await incus(info, 'config', 'set', name, 'security.protection.delete=false');
    await incus(info, 'delete', '--force', name);
  }
  for (const name of await names(info, 'network', 'acl', 'list'))
    await incus(info, 'network', 'acl', 'delete', name);
}

async function names(info: ClusterInfo, ...list: string[]): Promise<string[]> {
  const found: { name: string }[] = JSON.parse(await incus(info, ...list, '--format', 'json'));
  return found.map(({ name }) => name);
}
