#include "bot/print_report.h"

#include <math.h>
#include "ph/clock.h"
#include "ph/json.h"

static void put_pairs(struct json *j, const char *key, const struct pair *list,
		      size_t n)
{
	if (!n)
		return;
	json_open_object(j, key);
	for (size_t i = 0; i < n; i++) {
		struct buf name;

		/* The writer's keys are C strings; these are foreign text. */
		buf_init(&name);
		buf_add_slice(&name, list[i].key);
		json_put_opt(j, buf_str(&name), list[i].value);
		buf_release(&name);
	}
	json_close_object(j);
}

static void put_person(struct json *j, const char *key,
		       const struct person *person)
{
	json_open_object(j, key);
	json_put_opt(j, "name", person->name);
	json_put_opt(j, "address", person->address);
	json_close_object(j);
}

static void put_people(struct json *j, const char *key,
		       const struct person *list, size_t n)
{
	if (!n)
		return;
	json_open_array(j, key);
	for (size_t i = 0; i < n; i++)
		put_person(j, NULL, &list[i]);
	json_close_array(j);
}

static void put_message(struct json *j, const struct report *r)
{
	const struct message *m = r->message;
	char date[32];

	if (!r->id.len && !m->subject.len && !m->from.address.len &&
	    !m->from.name.len)
		return;
	json_open_object(j, "message");
	json_put_opt(j, "id", r->id);
	if (r->id_recovered)
		json_put_bool(j, "recovered", true);
	if (m->from.name.len || m->from.address.len)
		put_person(j, "from", &m->from);
	put_people(j, "to", m->to, m->n_to);
	put_people(j, "cc", m->cc, m->n_cc);
	if (m->date) {
		clock_rfc3339(m->date, date);
		json_put_cstr(j, "date", date);
	}
	json_put_opt(j, "subject", m->subject);
	json_put_opt(j, "in_reply_to", m->in_reply_to);
	json_put_opt(j, "list", m->list);
	json_close_object(j);
}

static void put_commit(struct json *j, const struct report *r)
{
	if (!r->commit.id.len && !r->commit.title.len && !r->commit.label.len &&
	    !r->commit.subsystem.len)
		return;
	json_open_object(j, "commit");
	json_put_opt(j, "id", r->commit.id);
	json_put_opt(j, "title", r->commit.title);
	json_put_opt(j, "tree", r->commit.tree);
	json_put_opt(j, "branch", r->commit.branch);
	json_put_opt(j, "label", r->commit.label);
	json_put_opt(j, "subsystem", r->commit.subsystem);
	json_close_object(j);
}

static void put_posted(struct json *j, const struct report *r)
{
	if (!r->posted.url.len && !r->posted.base.len && !r->posted.link.len &&
	    !r->posted.subject.len)
		return;
	json_open_object(j, "posted");
	json_put_opt(j, "url", r->posted.url);
	json_put_opt(j, "base", r->posted.base);
	json_put_opt(j, "link", r->posted.link);
	json_put_opt(j, "subject", r->posted.subject);
	json_close_object(j);
}

/* "+Inf" has no form in JSON and is left out. */
static void put_change(struct json *j, double change, enum change_kind kind)
{
	if (kind == CHANGE_NONE)
		return;
	if (isfinite(change))
		json_put_double(j, "change", change);
	json_put_cstr(j, "change_kind",
		      kind == CHANGE_RELATIVE ? "relative" : "absolute");
}

static void put_better(struct json *j, enum better better)
{
	if (better)
		json_put_cstr(j, "better",
			      better == BETTER_HIGHER ? "higher" : "lower");
}

static void put_headline(struct json *j, const struct result *result)
{
	json_open_object(j, "headline");
	json_put_str(j, "metric", result->metric);
	json_put_double(j, "percent", result->percent);
	json_put_cstr(j, "verdict", verdict_name(result->verdict));
	if (result->has_change)
		put_change(j, result->change, result->change_kind);
	put_better(j, result->better);
	json_close_object(j);
}

static void put_result(struct json *j, const struct result *result)
{
	json_open_object(j, NULL);
	json_put_opt(j, "testcase", result->testcase);
	json_put_opt(j, "metric", result->metric);
	json_put_double(j, "percent", result->percent);
	json_put_opt(j, "verdict", slice_of(verdict_name(result->verdict)));
	if (result->has_change && isfinite(result->change))
		json_put_double(j, "change", result->change);
	json_put_opt(j, "machine", result->machine.description);
	json_put_opt(j, "host", result->machine.host);
	put_pairs(j, "parameters", result->params, result->n_params);
	if (result->table >= 0)
		json_put_int(j, "table", result->table);
	json_close_object(j);
}

static void put_results(struct json *j, const struct report *r)
{
	if (!r->n_results)
		return;
	if (r->results[0].verdict)
		put_headline(j, &r->results[0]);
	json_open_array(j, "results");
	for (size_t i = 0; i < r->n_results; i++)
		put_result(j, &r->results[i]);
	json_close_array(j);
}

static void put_machine(struct json *j, const struct machine *m)
{
	if (!m->description.len && !m->host.len)
		return;
	json_open_object(j, "machine");
	json_put_opt(j, "description", m->description);
	json_put_opt(j, "host", m->host);
	if (m->threads)
		json_put_int(j, "threads", m->threads);
	if (m->sockets)
		json_put_int(j, "sockets", m->sockets);
	json_put_opt(j, "model", m->model);
	json_put_opt(j, "codename", m->codename);
	json_put_opt(j, "memory", m->memory);
	json_close_object(j);
}

static void put_status(struct json *j, const struct report *r)
{
	if (!r->n_status)
		return;
	json_open_array(j, "status");
	for (size_t i = 0; i < r->n_status; i++) {
		json_open_object(j, NULL);
		json_put_opt(j, "text", r->status[i].text);
		json_put_opt(j, "ref", r->status[i].ref);
		json_put_opt(j, "commit", r->status[i].commit);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_columns(struct json *j, const struct table *t)
{
	json_open_array(j, "columns");
	for (size_t i = 0; i < t->n_columns; i++) {
		json_open_object(j, NULL);
		json_put_opt(j, "id", t->columns[i].id);
		json_put_opt(j, "title", t->columns[i].title);
		json_put_opt(j, "heading", t->columns[i].heading);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_cell(struct json *j, const struct cell *c)
{
	json_open_object(j, NULL);
	json_put_double(j, "value", c->value);
	if (c->dev_pct < 0)
		json_put_null(j, "stddev_pct");
	else
		json_put_int(j, "stddev_pct", c->dev_pct);
	put_change(j, c->change, c->kind);
	json_close_object(j);
}

static void put_fail_cell(struct json *j, const struct fail_cell *c)
{
	json_open_object(j, NULL);
	json_put_int(j, "fails", c->fails);
	json_put_int(j, "runs", c->runs);
	if (c->has_reproduction)
		json_put_int(j, "reproduction", c->reproduction);
	json_close_object(j);
}

static void put_row(struct json *j, const struct report *r,
		    const struct table *t, const struct row *row)
{
	json_open_object(j, NULL);
	json_put_str(j, "metric", row->metric);
	json_open_array(j, "cells");
	for (size_t i = 0; i < t->n_columns; i++)
		put_cell(j, &row_cells(r, row)[i]);
	json_close_array(j);
	json_close_object(j);
}

static void put_failure(struct json *j, const struct report *r,
			const struct table *t, const struct row *row)
{
	json_open_object(j, NULL);
	json_put_str(j, "metric", row->metric);
	json_open_array(j, "cells");
	for (size_t i = 0; i < t->n_columns; i++)
		put_fail_cell(j, &row_fails(r, row)[i]);
	json_close_array(j);
	json_close_object(j);
}

static void put_table(struct json *j, const struct report *r,
		      const struct table *t)
{
	json_open_object(j, NULL);
	put_pairs(j, "axes", t->axes, t->n_axes);
	put_columns(j, t);
	json_open_array(j, "rows");
	for (uint32_t i = 0; i < t->n_rows; i++)
		put_row(j, r, t, &r->rows[t->first_row + i]);
	json_close_array(j);
	json_open_array(j, "failures");
	for (uint32_t i = 0; i < t->n_failures; i++)
		put_failure(j, r, t, &r->failures[t->first_failure + i]);
	json_close_array(j);
	json_close_object(j);
}

static void put_tables(struct json *j, const struct report *r)
{
	if (!r->n_tables)
		return;
	json_open_array(j, "tables");
	for (size_t i = 0; i < r->n_tables; i++)
		put_table(j, r, &r->tables[i]);
	json_close_array(j);
}

static void put_warnings(struct json *j, const struct report *r)
{
	if (!r->n_warnings)
		return;
	json_open_array(j, "warnings");
	for (size_t i = 0; i < r->n_warnings; i++)
		json_put_str(j, NULL, r->warnings[i]);
	json_close_array(j);
}

void print_report_json(struct buf *out, const struct report *r,
		       const char *file, int64_t index)
{
	struct json j;

	json_begin(&j, out);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "schema", "perfherald.report/1");
	json_put_cstr(&j, "file", file);
	if (index >= 0)
		json_put_int(&j, "index", index);
	json_put_cstr(&j, "kind", report_kind_name(r->kind));
	put_message(&j, r);
	put_commit(&j, r);
	put_posted(&j, r);
	put_results(&j, r);
	json_put_opt(&j, "testcase", r->testcase);
	json_put_opt(&j, "kconfig", r->kconfig);
	json_put_opt(&j, "compiler", r->compiler);
	put_machine(&j, &r->machine);
	put_pairs(&j, "parameters", r->params, r->n_params);
	json_put_opt(&j, "error", r->error);
	put_status(&j, r);
	json_put_opt(&j, "archive", r->archive);
	json_put_opt(&j, "closes", r->closes);
	put_tables(&j, r);
	put_warnings(&j, r);
	json_close_object(&j);
	buf_add_char(out, '\n');
}
