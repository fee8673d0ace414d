/**
 * The order in which a transaction locks rows: the holder of a row of one table only ever waits for rows of the same
 * or a later one, so that no two transactions wait for each other. A test holds every transaction of the acceptance
 * suite against it.
 *
 * 1. A thing goes before what belongs to it: the VM before its rules, jobs and money. The holder of the VM may lock
 *    its belongings in any order within a table, as the lock on the VM covers them.
 * 2. Of rows that have no common owner several are locked in order of their ids, or with `skip locked`, which never
 *    waits and skips locked rows until the next round.
 * 3. Rows are locked `for no key update`, never `for update`: the foreign keys of what others insert meanwhile do not
 *    wait for that. A row that others refer to is deleted only by the holder of its owner.
 * 4. No other transaction can wait for a new row, which does not count.
 */
export const LOCK_ORDER = [
  // Crediting an outage holds it, and goes through its VMs one by one.
  'outages',
  // Booking one goes on to its account.
  'unbooked_payments',
  'accounts',
  'vms',
  // Locks by a number or a name, until the transaction ends: metering, ports of an address.
  'advisory locks',
  'jobs',
  'agent_runs',
  'agent_sessions',
  'agent_entries',
  // What becomes money: settling locks the top-up first, then the wallet.
  'auto_top_ups',
  'top_ups',
  'top_up_refunds',
  // Money: the wallet decides who is first.
  'wallets',
  // Only who holds the wallet takes or puts back what a provider takes back.
  'top_up_reversals',
  'vm_debts',
  'payment_methods',
  'promo_credits',
  // By the journal's own triggers, as the end of the account's chain.
  'journal_heads',
  'billing_profiles',
  'invoices',
  'held_documents',
  // The seller's next numbers, taken as invoices are issued.
  'number_series',
  'series_gaps',
  'orders',
  'invoice_corrections',
  // Only recognition waits here, for another of the same day.
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
  // One that is removed goes before its hosts.
  'clusters',
  // The host and the region's pool last: purchases wait for each other at their rows until they commit. A purchase holds
  // one host at a time: one that has no room is released by a savepoint before it waits for another.
  'hosts',
  'reservations',
  'ip_addresses',
  'ip_pools',
  'orphan_guests',
  'orphan_addresses',
  // Each locked alone, by statements of one table.
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

/** A table whose rows are locked, or what else a transaction may wait for. */
export type Lockable = (typeof LOCK_ORDER)[number];
