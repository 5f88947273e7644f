/*
 * KCIDB's JSON, schema 5.3 (kcidb-io, kcidb_io/schema/v05_03.py): one object
 * with a list of checkouts, one of builds and one of tests. A report is one
 * checkout and one build, which it compared with those of the commit before;
 * each of its results is a test.
 *
 * Ids are ORIGIN:MESSAGE, of tests ORIGIN:MESSAGE/N. Members that are not known
 * are left out, as the schema asks: no start time, since the robot tells none,
 * and no address.
 */
#include "bot/export.h"

#include <stdio.h>
#include "bot/facts.h"
#include "ph/json.h"
#include "ph/report.h"
#include "ph/utf8.h"

#define VERSION_MAJOR 5
#define VERSION_MINOR 3

#define HASH_DIGITS 40

enum { CHECKOUTS, BUILDS, TESTS, PASSES };

static const char *const lists[] = { "checkouts", "builds", "tests" };

static void open_list(const struct export_options *o, unsigned pass,
		      struct buf *b)
{
	(void)o;
	if (pass == CHECKOUTS)
		buf_printf(b, "{\"version\":{\"major\":%d,\"minor\":%d}",
			   VERSION_MAJOR, VERSION_MINOR);
	buf_printf(b, ",\n\"%s\":[", lists[pass]);
}

static void close_list(const struct export_options *o, unsigned pass,
		       struct buf *b)
{
	(void)o;
	buf_add_str(b, pass == TESTS ? "]}\n" : "]");
}

/* -- members -- */

static void put_clean(struct json *j, const char *key, struct slice s)
{
	struct buf clean;

	if (!s.len)
		return;
	buf_init(&clean);
	utf8_put_clean(&clean, s);
	json_put_str(j, key, buf_slice(&clean));
	buf_release(&clean);
}

/* n negative: of the report itself. */
static void put_id(struct json *j, const char *key,
		   const struct export_options *o, const struct finding *f,
		   int n)
{
	struct buf b, clean;

	buf_init(&b);
	buf_init(&clean);
	buf_add_slice(&b, o->origin);
	buf_add_char(&b, ':');
	buf_add_slice(&b, f->msgkey);
	if (n >= 0)
		buf_printf(&b, "/%d", n);
	utf8_put_clean(&clean, buf_slice(&b));
	json_put_str(j, key, buf_slice(&clean));
	buf_release(&b);
	buf_release(&clean);
}

/* Of "a=x b=y". Empty: there is none. */
static struct slice param(struct slice params, struct slice key)
{
	struct slice word, name;

	while (slice_take_word(&params, &word))
		if (slice_take_until(&word, '=', &name) && slice_eq(name, key))
			return word;
	return S("");
}

static bool is_whole_hash(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return s.len == HASH_DIGITS;
}

/* The schema's form of a repository. */
static bool is_repository(struct slice s)
{
	return slice_starts(s, S("https://")) && slice_is_web_url(s);
}

/* -- a report -- */

static void put_checkout(struct json *j, const struct export_options *o,
			 const struct finding *f)
{
	struct slice label = f->patch.label, tree;

	put_id(j, "id", o, f, -1);
	json_put_str(j, "origin", o->origin);
	if (slice_take_until(&label, ':', &tree))
		put_clean(j, "tree_name", tree);
	if (is_repository(f->result.tree))
		json_put_str(j, "git_repository_url", f->result.tree);
	if (is_whole_hash(f->result.commit)) {
		json_put_str(j, "git_commit_hash", f->result.commit);
		json_put_str(j, "patchset_hash", S(""));
	}
	put_clean(j, "git_repository_branch", f->result.branch);
	put_clean(j, "comment", f->patch.title);
	json_put_bool(j, "valid", true);
}

static void put_build(struct json *j, const struct export_options *o,
		      const struct finding *f)
{
	put_id(j, "checkout_id", o, f, -1);
	put_id(j, "id", o, f, -1);
	json_put_str(j, "origin", o->origin);
	put_clean(j, "compiler", param(f->result.params, S("compiler")));
	put_clean(j, "config_name", param(f->result.params, S("kconfig")));
	/* it ran */
	json_put_cstr(j, "status", "PASS");
}

/* -- a result -- */

/* Dots part the names of a path, each of letters, digits, - and _. */
static void put_path(struct json *j, struct slice metric)
{
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < metric.len; i++) {
		char c = metric.ptr[i];
		bool plain = is_digit(c) || is_alpha(c) || c == '-';

		if (c != '.')
			buf_add_char(&b, plain ? c : '_');
		else if (b.len && b.ptr[b.len - 1] != '.')
			buf_add_char(&b, '.');
	}
	while (b.len && b.ptr[b.len - 1] == '.')
		b.len--;
	json_put_str(j, "path", buf_slice(&b));
	buf_release(&b);
}

static void put_environment(struct json *j, struct slice host)
{
	if (!host.len)
		return;
	json_open_object(j, "environment");
	put_clean(j, "comment", host);
	json_close_object(j);
}

static void put_number(struct json *j, const struct result_row *r)
{
	if (!r->has_values)
		return;
	json_open_object(j, "number");
	json_put_double(j, "value", r->value);
	put_clean(j, "unit", metric_unit(r->metric));
	json_close_object(j);
}

/* The robot's word: a regression is faulty code. */
static const char *status_of(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_NONE] = "DONE",
		[VERDICT_IMPROVEMENT] = "PASS",
		[VERDICT_REGRESSION] = "FAIL",
	};

	return words[verdict];
}

static void put_comment(struct json *j, const struct result_row *r)
{
	struct buf b;

	buf_init(&b);
	if (r->verdict != VERDICT_NONE)
		buf_printf(&b, "%.1f%% %s of ", r->percent,
			   verdict_name(r->verdict));
	utf8_put_clean(&b, r->metric);
	json_put_str(j, "comment", buf_slice(&b));
	buf_release(&b);
}

/* All that the schema has no member for, under the names of the other
 * formats. */
static void put_misc(struct json *j, const struct finding *f,
		     struct arena *arena)
{
	json_open_object(j, "misc");
	for (size_t i = 0; i < n_export_names; i++) {
		struct export_cell c = export_cell(f, i, arena);

		if (c.kind == CELL_NUMBER)
			json_put_double(j, export_names[i], c.number);
		else if (c.kind == CELL_BOOL)
			json_put_bool(j, export_names[i], c.yes);
		else
			put_clean(j, export_names[i], c.text);
	}
	json_close_object(j);
}

static void put_test(struct json *j, const struct export_options *o,
		     const struct finding *f, struct arena *arena)
{
	put_id(j, "build_id", o, f, -1);
	put_id(j, "id", o, f, f->result.n);
	json_put_str(j, "origin", o->origin);
	put_environment(j, f->result.host);
	put_path(j, f->result.metric);
	put_comment(j, &f->result);
	json_put_cstr(j, "status", status_of(f->result.verdict));
	put_number(j, &f->result);
	put_misc(j, f, arena);
}

static void put(const struct export_options *o, unsigned pass,
		const struct finding *f, const struct finding *before,
		struct arena *arena, struct buf *b)
{
	struct json j;

	/* results of a report stand together */
	if (pass != TESTS && before &&
	    before->result.message == f->result.message)
		return;
	buf_add_str(b, before ? ",\n" : "\n");
	json_begin(&j, b);
	json_open_object(&j, NULL);
	if (pass == CHECKOUTS)
		put_checkout(&j, o, f);
	else if (pass == BUILDS)
		put_build(&j, o, f);
	else
		put_test(&j, o, f, arena);
	json_close_object(&j);
}

const struct export_form export_kcidb = {
	.name = "kcidb",
	.passes = PASSES,
	.open = open_list,
	.put = put,
	.close = close_list,
};
