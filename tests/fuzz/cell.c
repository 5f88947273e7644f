/*
 * One line as a table's row: what the columns accept, the tokens accept too,
 * and as the same. The first byte says how many columns.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mail/report/cell.h"
#include "mail/report/row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct arena arena;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void compare(const struct cell *a, const struct cell *b)
{
	must(memcmp(&a->value, &b->value, sizeof(a->value)) == 0);
	must(memcmp(&a->change, &b->change, sizeof(a->change)) == 0);
	must(a->dev_pct == b->dev_pct && a->kind == b->kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct row_form form = { 2, false };
	struct cell got[LIMIT_COLUMNS];
	struct slice line, metric;
	struct row_draft want;
	struct lines none;

	if (!len)
		return 0;
	form.n = 2 + data[0] % (LIMIT_COLUMNS - 1);
	line = (struct slice){ (const char *)data + 1, len - 1 };
	if (slice_chr(line, '\n') || slice_chr(line, '\0'))
		return 0;
	lines_init(&none, S(""));
	arena_reset(&arena);
	form.old = true;
	row_take(line, form, &none, &arena, &want);
	form.old = false;
	if (!cell_take_fixed_row(line, form.n, got, &metric)) {
		row_take(line, form, &none, &arena, &want);
		return 0;
	}
	must(row_take(line, form, &none, &arena, &want));
	must(!want.failure && slice_eq(metric, want.metric));
	for (size_t i = 0; i < form.n; i++)
		compare(&got[i], &want.cells[i]);
	return 0;
}
