import * as pulumi from '@pulumi/pulumi';
import type {
  AddFirewallRuleRequest,
  AddPortForwardRequest,
  AddShieldRuleRequest,
  AddSshKeyRequest,
  CreateSnapshotRequest,
  CreateVmRequest,
} from '@vauban/client';
import { BelongingProvider, VmProvider } from './provider';

/** The arguments of a resource; each may be the output of another resource. */
type Given<T> = { [K in keyof T]: pulumi.Input<Items<NonNullable<T[K]>>> };
type Items<T> = T extends (infer Item)[] ? pulumi.Input<Item>[] : T;
/** The time limit of a change in seconds; 600 by default. */
type Patience = { timeout_seconds?: number };

/** A VM has either a plan or a custom size. */
export type VmArgs = Given<Omit<CreateVmRequest, 'plan' | 'start'>> &
  Patience & {
    plan?: pulumi.Input<string>;
    vcpu?: pulumi.Input<number>;
    ram_mb?: pulumi.Input<number>;
    disk_gb?: pulumi.Input<number>;
    /** Allows a power cycle when the size changes. */
    allow_reboot?: boolean;
  };

/** Outputs of every resource, in addition to its inputs. */
abstract class Thing extends pulumi.dynamic.Resource {
  declare readonly created_at: pulumi.Output<string>;
}

/** A VM. Its name, notes, renewal, plan and size can be changed in place. */
export class Vm extends Thing {
  declare readonly ipv4: pulumi.Output<string | null>;
  declare readonly ipv6: pulumi.Output<string | null>;
  declare readonly plan: pulumi.Output<string | null>;
  declare readonly vcpu: pulumi.Output<number>;
  declare readonly ram_mb: pulumi.Output<number>;
  declare readonly disk_gb: pulumi.Output<number>;
  declare readonly price_monthly_minor: pulumi.Output<number>;
  /** Generated only if neither a key nor a password was given. */
  declare readonly initial_password: pulumi.Output<string | null>;

  constructor(name: string, args: VmArgs, options: pulumi.CustomResourceOptions = {}) {
    const shown = { ipv4: undefined, ipv6: undefined, price_monthly_minor: undefined, created_at: undefined };
    const sizes = { plan: undefined, vcpu: undefined, ram_mb: undefined, disk_gb: undefined };
    const props = { ...shown, ...sizes, initial_password: undefined, ...args };
    const secrets = ['initial_password', 'password', 'user_data'];
    super(new VmProvider(), name, props, pulumi.mergeOptions(options, { additionalSecretOutputs: secrets }));
  }
}

export class FirewallRule extends Thing {
  constructor(
    name: string,
    args: Given<AddFirewallRuleRequest> & Patience & { vm_id: pulumi.Input<string> },
    options?: pulumi.CustomResourceOptions,
  ) {
    super(new BelongingProvider('firewall'), name, { created_at: undefined, ...args }, options);
  }
}

/** A port of a shared public address that is forwarded to a VM. */
export class PortForward extends Thing {
  declare readonly external_port: pulumi.Output<number>;
  declare readonly public_ip: pulumi.Output<string>;

  constructor(
    name: string,
    args: Given<AddPortForwardRequest> & Patience & { vm_id: pulumi.Input<string> },
    options?: pulumi.CustomResourceOptions,
  ) {
    const shown = { external_port: undefined, public_ip: undefined, created_at: undefined };
    super(new BelongingProvider('portForwards'), name, { ...shown, ...args }, options);
  }
}

export class Snapshot extends Thing {
  declare readonly size_bytes: pulumi.Output<number>;

  constructor(
    name: string,
    args: Given<CreateSnapshotRequest> & Patience & { vm_id: pulumi.Input<string> },
    options?: pulumi.CustomResourceOptions,
  ) {
    const shown = { size_bytes: undefined, created_at: undefined };
    super(new BelongingProvider('snapshots'), name, { ...shown, ...args }, options);
  }
}

export class SshKey extends Thing {
  declare readonly fingerprint: pulumi.Output<string>;

  constructor(
    name: string,
    args: Given<AddSshKeyRequest> & Patience,
    options?: pulumi.CustomResourceOptions,
  ) {
    const shown = { fingerprint: undefined, created_at: undefined };
    super(new BelongingProvider('sshKeys'), name, { ...shown, ...args }, options);
  }
}

export class ShieldRule extends Thing {
  constructor(
    name: string,
    args: Given<AddShieldRuleRequest> &
      Patience & { tenant_id: pulumi.Input<string>; target_id: pulumi.Input<string> },
    options?: pulumi.CustomResourceOptions,
  ) {
    super(new BelongingProvider('shield'), name, { created_at: undefined, ...args }, options);
  }
}
