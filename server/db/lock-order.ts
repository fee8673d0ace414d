/**
 * The order in which a transaction locks rows: the holder of a row in one table only ever waits for rows of the same or
 * a later table, so that no two transactions wait for each other. A test checks every transaction of the acceptance
 * suite against it.
 *
 * 1. An owner is locked before its belongings: the VM before its rules, jobs and money. The holder of the VM may lock
 *    its belongings in any order within a table, because the lock on the VM covers them.
 * 2. Several rows without a common owner are locked in order of their ids, or with `skip locked`, which never waits and
 *    leaves locked rows to the next round.
 * 3. Rows are locked `for no key update`, never `for update`, because the foreign keys of rows that others insert in
 *    the meantime do not wait for that. A row that others refer to is deleted only by the holder of its owner.
 * 4. No other transaction can wait for a new row, so new rows do not count.
 */
export const LOCK_ORDER = [
  // A transaction that credits an outage holds it while it goes through the outage's VMs one by one.
  'outages',
  // A transaction that books one locks its account next.
  'unbooked_payments',
  'accounts',
  'vms',
  // Locks by a number or a name, held until the transaction ends: metering, ports of an address.
  'advisory locks',
  'jobs',
  'agent_runs',
  'agent_sessions',
  'agent_entries',
  // Payments before they reach the wallet: settlement locks the top-up first, then the wallet.
  'auto_top_ups',
  'top_ups',
  'top_up_refunds',
  // Money: the lock on the wallet decides who goes first.
  'wallets',
  // Only the holder of the wallet takes or restores the amounts that a provider takes back.
  'top_up_reversals',
  'vm_debts',
  'payment_methods',
  'promo_credits',
  // Locked by the journal's own triggers, as the end of the account's chain.
  'journal_heads',
  'billing_profiles',
  'invoices',
  'held_documents',
  // The seller's next numbers, taken when invoices are issued.
  'number_series',
  'series_gaps',
  'orders',
  'invoice_corrections',
  // Only revenue recognition waits here, for another of the same day.
  'journal',
  'ssh_keys',
  'vm_ssh_keys',
  'vm_move_windows',
  'snapshots',
  'snapshot_usage',
  'firewall_rules',
  'port_forwards',
  'port_claims',
  'shield_targets',
  'shield_rules',
  'shield_attacks',
  'edge_counters',
  'edge_samples',
  'edge_rollups',
  'console_shares',
  'console_viewers',
  'console_tickets',
  'guest_host_keys',
  'vm_counters',
  'metric_samples',
  'metric_rollups',
  'traffic_meters',
  'bandwidth_days',
  // A cluster being removed is locked before its hosts.
  'clusters',
  // The host and the region's pool come last: purchases wait for each other at these rows until they commit. A purchase
  // holds one host at a time: if a host has no capacity, a savepoint releases it before the purchase waits for another.
  'hosts',
  'reservations',
  'ip_addresses',
  'ip_pools',
  'orphan_guests',
  'orphan_addresses',
  // Each is locked on its own, by statements on a single table.
  'api_keys',
  'people',
  'memberships',
  'mail_tokens',
  'passkeys',
  'totps',
  'recovery_codes',
  'sessions',
  'known_devices',
  'webauthn_challenges',
  'audit_entries',
  'attempts',
  'mails',
  'events',
  'idempotency_keys',
  'rate_windows',
  'settings',
  'simulator_lost_hosts',
  'simulator_guests',
  'simulator_insides',
  'simulator_files',
  'simulator_disks',
  'simulator_edge_targets',
] as const;

/** A table whose rows are locked, or another thing that a transaction may wait for. */
export type Lockable = (typeof LOCK_ORDER)[number];
