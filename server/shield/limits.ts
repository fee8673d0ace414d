/** Rules of a target, its own and automatic ones together: an edge looks at them one by one for every packet. */
export const RULES_PER_TARGET = 50;
/** Targets of a tenant: its traffic is read target by target. */
export const TARGETS_PER_TENANT = 100;
/** The tenants of an account are listed whole in its billing summary. */
export const TENANTS_PER_ACCOUNT = 20;
