import type * as pulumi from '@pulumi/pulumi';
import * as lifecycle from './lifecycle';
import * as machines from './machines';

// Pulumi stores the source text of a provider's functions in the state. They therefore only call modules of this
// package, so that a fixed release of the package also fixes stored resources.

type Values = Record<string, unknown>;

/** For resources that any change replaces: rules, port forwards, snapshots, keys. */
export class BelongingProvider implements pulumi.dynamic.ResourceProvider {
  readonly kind: lifecycle.Kind;

  constructor(kind: lifecycle.Kind) {
    this.kind = kind;
  }

  async diff(_id: string, olds: Values, news: Values) {
    return lifecycle.diff(olds, news, []);
  }

  async create(inputs: Values) {
    return lifecycle.create(this.kind, inputs);
  }

  async read(id: string, props: Values) {
    return lifecycle.read(this.kind, id, props);
  }

  async update(_id: string, olds: Values, news: Values) {
    return { outs: { ...olds, ...news } };
  }

  async delete(id: string, props: Values) {
    await lifecycle.remove(this.kind, id, props);
  }
}

export class VmProvider implements pulumi.dynamic.ResourceProvider {
  async check(_olds: Values, news: Values) {
    return { inputs: news, failures: machines.failures(news) };
  }

  async diff(_id: string, olds: Values, news: Values) {
    return lifecycle.diff(olds, news, machines.IN_PLACE);
  }

  async create(inputs: Values) {
    return machines.create(inputs);
  }

  async read(id: string, props: Values) {
    return machines.read(id, props);
  }

  async update(id: string, olds: Values, news: Values) {
    return machines.update(id, olds, news);
  }

  async delete(id: string, props: Values) {
    await machines.remove(id, props);
  }
}
