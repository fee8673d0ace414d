import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../../server/domain/billing/bookings/csv.ts';

const line = (...cells: (string | null)[]) => csvLine(cells).toString();

test('no text of a customer is a formula, with any separator of the spreadsheet', () => {
  assert.equal(line('=1+1', '@x', '+x', '-x', null), "'=1+1,'@x,'+x,'-x,\r\n");
  assert.equal(line('-12.50', '-1', 'A-B', 'a;b'), '-12.50,-1,A-B,a;b\r\n');
  // In much of Europe the separator is a semicolon, so a file with commas is split at semicolons.
  assert.equal(line("A;=cmd|' /C calc'!A0;B"), "A;'=cmd|' /C calc'!A0;B\r\n");
  assert.equal(line(' =1+1', 'A; @x;;-1'), "' =1+1,A;' @x;;'-1\r\n");
});
