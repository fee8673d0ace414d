// Fails with one clear line on a Node that cannot run Vauban. Plain JavaScript, for old versions must understand it.
const MINIMUM = 24;
// The platforms for which package.json names a Node.
const BROUGHT = ['linux-x64', 'linux-arm64'];

if (Number.parseInt(process.versions.node, 10) < MINIMUM) {
  const platform = `${process.platform}-${process.arch}`;
  const remedy = BROUGHT.includes(platform)
    ? 'npm ci brings one, which npm scripts use, unless optional packages or scripts are switched off'
    : `install it first: npm ci brings one only for ${BROUGHT.join(' and ')}, and this is ${platform}`;
  const found = `${process.version} in ${process.execPath}`;
  console.error(`Vauban needs Node ${MINIMUM} or newer, not ${found}: ${remedy}.`);
  process.exit(1);
}
