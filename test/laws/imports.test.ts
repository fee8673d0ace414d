import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, sources } from '../support/source.ts';

interface Law {
  name: string;
  /** Files it binds: paths that start so. */
  from: string;
  /** What they must not import: paths that match, unless they match `except`. */
  never: RegExp;
  except?: RegExp;
}

const LAWS: Law[] = [
  { name: 'the service stands alone', from: 'server/', never: /^(test|vaubanctl|scripts|bench)\// },
  {
    name: 'platform knows nothing of the product',
    from: 'server/platform/',
    never: /^server\/(endpoints|domain|jobs|compute|edge|operator)\//,
  },
  {
    name: 'db is at the bottom, and keeps for simulators what they ask to be kept',
    from: 'server/db/',
    never: /^server\/(endpoints|domain|jobs|compute|edge|operator|simulated-guest)\//,
    except: /^server\/(compute\/simulator|edge\/simulator|simulated-guest\/system)\/store\.ts$/,
  },
  {
    name: 'the domain sees drivers only as interfaces',
    from: 'server/domain/',
    never: /^server\/(endpoints|operator)\/|^server\/(compute|edge)\//,
    except: /^server\/(compute|edge)\/driver\.ts$/,
  },
  {
    name: "customers' endpoints see drivers only as interfaces",
    from: 'server/endpoints/customer/',
    never: /^server\/(endpoints\/operator|operator)\/|^server\/(compute|edge)\//,
    except: /^server\/(compute|edge)\/driver\.ts$/,
  },
  {
    name: "the operator's endpoints see drivers as interfaces, and the images as the files that they are",
    from: 'server/endpoints/operator/',
    never: /^server\/(compute|edge)\//,
    except: /^server\/(compute|edge)\/driver\.ts$|^server\/compute\/qemu\/(host|image[a-z-]*|readiness)\.ts$/,
  },
  {
    name: "the operator's endpoints share nothing with the customers' but the shapes of the same resources",
    from: 'server/endpoints/operator/',
    never: /^server\/endpoints\/customer\//,
    except: /-shape\.ts$/,
  },
  {
    name: 'consoles see drivers only as interfaces, and know no endpoint',
    from: 'server/consoles/',
    never: /^server\/(endpoints|operator|jobs)\/|^server\/(compute|edge)\//,
    except: /^server\/(compute|edge)\/driver\.ts$/,
  },
  { name: 'jobs are not started from above', from: 'server/jobs/', never: /^server\/(endpoints|operator)\// },
  {
    name: 'the agent is not started from above, and sees drivers through its way in',
    from: 'server/agent/',
    never: /^server\/(endpoints|operator|http|compute|edge)\//,
    except: /^server\/compute\/driver\.ts$/,
  },
  {
    name: 'a compute driver knows neither the rules nor the API nor the database',
    from: 'server/compute/',
    never: /^server\/(domain|endpoints|jobs|operator|edge|db)\//,
  },
  {
    name: 'an edge driver knows neither the rules nor the API nor the database',
    from: 'server/edge/',
    never: /^server\/(domain|endpoints|jobs|operator|compute|db)\//,
  },
  {
    name: 'a simulated guest knows nothing of the service around it',
    from: 'server/simulated-guest/',
    never: /^server\/(?!simulated-guest\/|platform\/)/,
  },
  {
    name: 'vaubanctl talks to the service and shares no code with it',
    from: 'vaubanctl/',
    never: /^server\//,
  },
  { name: 'acceptance tests see what a customer sees', from: 'test/acceptance/', never: /^server\// },
  {
    name: 'the oracle works money out by itself',
    from: 'test/oracle/',
    never: /^server\//,
    except: /^server\/(db\/database|jobs\/[a-z-]+|platform\/clock)\.ts$/,
  },
];

for (const { name, from, never, except } of LAWS) {
  test(name, () => {
    const offences = sources(from.replace(/\/$/, '')).flatMap((path) =>
      importsOf(path)
        .filter((target) => never.test(target) && !except?.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    assert.deepEqual(offences, []);
  });
}

test('every import of the project names a file with its extension', () => {
  const offences = ['server', 'vaubanctl', 'test', 'scripts'].flatMap((directory) =>
    sources(directory).flatMap((path) =>
      importsOf(path)
        .filter((target) => /^(server|vaubanctl|test|scripts)\//.test(target) && !/\.(ts|json)$/.test(target))
        .map((target) => `${path} imports ${target}`),
    ),
  );
  assert.deepEqual(offences, []);
});
