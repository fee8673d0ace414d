/** The operating system named by a template's code, such as "debian-13" or "ubuntu-24.04". */
export interface Distribution {
  family: string;
  name: string;
  version: string;
  /** The user for the first login, whose name is that of the distribution in all four families. */
  user: string;
  kernel: string;
}

const NAMES: Record<string, string> = {
  debian: 'Debian GNU/Linux',
  ubuntu: 'Ubuntu',
  alpine: 'Alpine Linux',
  rocky: 'Rocky Linux',
};

/** Returns the distribution of a template's code. An unknown family is used as the name. */
export function distributionOf(template: string): Distribution {
  const [family = 'linux', version = '1'] = template.split('-');
  const user = /^[a-z][a-z0-9]*$/.test(family) ? family : 'user';
  return { family, name: NAMES[family] ?? family, version, user, kernel: '6.12.41+deb13-cloud-amd64' };
}

export function hasApt({ family }: Distribution): boolean {
  return family === 'debian' || family === 'ubuntu';
}
