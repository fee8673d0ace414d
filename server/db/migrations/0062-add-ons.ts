import type { Migration } from '../migrate.ts';
import { sealedAs, TERMS } from './0056-sealed-vms.ts';
import { noteLineBuyer } from './0061-sales-by-country.ts';

/** The sealed columns of a VM, its add-ons among them. */
export const TERMS_WITH_ADD_ONS = [...TERMS, 'add_ons'];

/** A line of the same item: of the same add-on, or of none. */
const SAME_ITEM = 'is not distinct from new.add_on) desc, ';

/**
 * Add-ons are sold with a VM by the month: each line says which add-on it is about, and a VM knows what its add-ons have
 * paid for. A node of the last release keeps both, but neither renews nor refunds an add-on.
 */
export const addOns: Migration = {
  name: '0062-add-ons',
  up: `
-- The code of the add-on that a line sells, refunds or corrects; null for all other lines.
alter table order_lines add column add_on text;

-- The add-ons of a VM with what they have paid for, see queries/stored-add-ons.ts; null if it has none.
alter table vms add column add_ons jsonb
  constraint vms_add_ons check (jsonb_typeof(add_ons) = 'array' and add_ons <> '[]');
${sealedAs('vms', 'terms_of_vm', TERMS_WITH_ADD_ONS)}

-- The buyer of a refund is that of the sale of the same item, which may have been sold to another than the VM.
${noteLineBuyer(`(line.add_on ${SAME_ITEM}`, `(sold.add_on ${SAME_ITEM}`)}
`,
  down: `
set local timezone = 'UTC';
${noteLineBuyer()}
${sealedAs('vms', 'terms_of_vm', TERMS)}
alter table vms drop column add_ons;
alter table order_lines disable trigger user;
create temporary table of_add_ons on commit drop as select order_id, position from order_lines where add_on is not null;
alter table order_lines drop column add_on;
update order_lines set seal = row_seal(to_jsonb(order_lines))
  where (order_id, position) in (select order_id, position from of_add_ons);
alter table order_lines enable trigger user;
`,
};
