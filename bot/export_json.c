/*
 * JSON lines: an object a result, {"schema":"perfherald.result/1",...}. What
 * is not known is left out.
 */
#include "bot/export.h"
#include "ph/json.h"

static void put_cell(struct json *j, const char *name,
		     const struct export_cell *c)
{
	switch (c->kind) {
	case CELL_NONE:
		break;
	case CELL_TEXT:
	case CELL_WORD:
		json_put_str(j, name, c->text);
		break;
	case CELL_NUMBER:
		json_put_double(j, name, c->number);
		break;
	case CELL_BOOL:
		json_put_bool(j, name, c->yes);
		break;
	}
}

static void put(const struct export_options *o, unsigned pass,
		const struct finding *f, const struct finding *before,
		struct arena *arena, struct buf *b)
{
	size_t n = n_export_names + o->authors;
	struct json j;

	(void)pass;
	(void)before;
	json_begin(&j, b);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "schema", "perfherald.result/1");
	for (size_t i = 0; i < n; i++) {
		struct export_cell c = export_cell(f, i, arena);

		put_cell(&j, export_names[i], &c);
	}
	json_close_object(&j);
	buf_add_char(b, '\n');
}

const struct export_form export_json = {
	.name = "json",
	.passes = 1,
	.put = put,
};
