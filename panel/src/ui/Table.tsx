import { type ReactNode, useMemo, useState } from 'react';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';
import classes from './Table.module.css';
import { useVisibleRows } from './visible-rows.ts';

const texts = defineTexts(
  { all: 'Select all', one: (name: string) => `Select ${name}` },
  { all: 'Alle auswählen', one: (name: string) => `${name} auswählen` },
);

/** A column. On narrow screens a row becomes a small card, and `narrow` places its cells. */
export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, so that the digits of figures line up. */
  align?: 'end';
  /** The first line, its right end, a line below it (the default, with the column's title), or hidden. */
  narrow?: 'title' | 'aside' | 'line' | 'hide';
  /** Makes the column sortable by its title. */
  compare?: (a: Row, b: Row) => number;
}

/** Returns the last column: a button to delete the row, for rows that `may` be deleted. */
export function deleteColumn<Row>(
  nameOf: (row: Row) => string,
  onDelete: (row: Row) => void,
  may: (row: Row) => boolean,
): Column<Row> {
  return {
    id: 'do',
    title: '',
    narrow: 'aside',
    align: 'end',
    cell: (row) =>
      may(row) && <Button look="quiet" icon="trash" label={nameOf(row)} onPress={() => onDelete(row)} />,
  };
}

/** Selectable rows, for bulk actions. */
export interface Selection<Row> {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  nameOf: (row: Row) => string;
}

export interface Props<Row> {
  /** The accessible name of the table. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  columns: Column<Row>[];
  selection?: Selection<Row>;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /** Highlights rows that need attention. */
  isMarked?: (row: Row) => boolean;
}

interface Order {
  column: string;
  isDescending: boolean;
}

/**
 * A table. Of 10,000 rows only the visible ones are rendered. The roles are explicit because the grid layout of narrow
 * screens removes the table semantics.
 */
export function Table<Row>({ label, rows, keyOf, columns, selection, empty, isMarked }: Props<Row>) {
  const [order, setOrder] = useState<Order>();
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);
  const { body, from, to, before, after } = useVisibleRows(sorted.length);
  if (rows.length === 0 && empty) return empty;
  const width = columns.length + (selection ? 1 : 0);
  return (
    <table className={classes.table} role="table" aria-label={label} aria-rowcount={sorted.length + 1}>
      <thead role="rowgroup">
        <tr role="row">
          {selection && <SelectAll rows={rows} keyOf={keyOf} selection={selection} />}
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} order={order} onOrder={setOrder} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        {before > 0 && <Spacer height={before} width={width} />}
        {sorted.slice(from, to).map((row, index) => {
          const key = keyOf(row);
          return (
            <tr
              key={key}
              role="row"
              aria-rowindex={from + index + 2}
              className={isMarked?.(row) ? classes.marked : undefined}
            >
              {selection && <SelectOne id={key} name={selection.nameOf(row)} selection={selection} />}
              {columns.map((column) => (
                <td key={column.id} role="cell" className={cellClass(column)} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
        {after > 0 && <Spacer height={after} width={width} />}
      </tbody>
    </table>
  );
}

function inOrder<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  order: Order | undefined,
): readonly Row[] {
  const compare = columns.find(({ id }) => id === order?.column)?.compare;
  if (!order || !compare) return rows;
  return rows.toSorted(order.isDescending ? (a, b) => compare(b, a) : compare);
}

const cellClass = <Row,>({ align, narrow = 'line' }: Column<Row>) =>
  `${align === 'end' ? classes.end : ''} ${classes[narrow]}`;

function HeaderCell<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>;
  order: Order | undefined;
  onOrder: (order: Order | undefined) => void;
}) {
  const own = order?.column === column.id ? order : undefined;
  // A header without text is a plain cell: screen readers would read out an empty header.
  if (!column.title) return <td role="cell" className={classes.untitled} />;
  const press = () => {
    if (own?.isDescending) onOrder(undefined);
    else onOrder({ column: column.id, isDescending: own !== undefined });
  };
  return (
    <th
      role="columnheader"
      scope="col"
      className={column.align === 'end' ? classes.end : undefined}
      aria-sort={own && (own.isDescending ? 'descending' : 'ascending')}
    >
      {column.compare ? (
        <button type="button" className={classes.sort} onClick={press}>
          {column.title}
          {own && (
            <span className={own.isDescending ? classes.down : classes.up}>
              <Icon name="chevron-down" size={12} />
            </span>
          )}
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function SelectAll<Row>({
  rows,
  keyOf,
  selection,
}: {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  selection: Selection<Row>;
}) {
  const t = useTexts(texts);
  const { chosen, onChange } = selection;
  const isAll = rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)));
  return (
    <th role="columnheader" scope="col" className={classes.check}>
      <input
        type="checkbox"
        aria-label={t.all}
        checked={isAll}
        ref={(input) => {
          if (input) input.indeterminate = !isAll && chosen.size > 0;
        }}
        onChange={() => onChange(isAll ? new Set() : new Set(rows.map(keyOf)))}
      />
    </th>
  );
}

function SelectOne<Row>({
  id,
  name,
  selection: { chosen, onChange },
}: {
  id: string;
  name: string;
  selection: Selection<Row>;
}) {
  const t = useTexts(texts);
  const toggle = () => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <td role="cell" className={classes.check}>
      <input type="checkbox" aria-label={t.one(name)} checked={chosen.has(id)} onChange={toggle} />
    </td>
  );
}

function Spacer({ height, width }: { height: number; width: number }) {
  return (
    <tr aria-hidden="true" className={classes.spacer}>
      <td colSpan={width} style={{ height }} />
    </tr>
  );
}
