import type * as pulumi from '@pulumi/pulumi';
import * as lifecycle from './lifecycle';
import * as machines from './machines';

// Pulumi writes a provider into the state as the text of its functions. What they do is in modules beside this one, which
// that text only names: a repaired release of this package also repairs what stored resources do.

type Values = Record<string, unknown>;

/** Of resources that are replaced where anything of them changes: rules, forwards, snapshots, keys. */
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

/** Of VMs. */
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
