#include "bot/command.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/ask.h"
#include "bot/print_patch.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"

/* outbox: the queue, held and dead notices included. */

struct queue_job {
	struct ask ask;
	const char *verb; /* "list", "retry", ... */
	const char **ids;
	size_t n_ids;
	bool all;      /* list: the sent ones too */
	bool yes;      /* release: without a question */
	int64_t since; /* release: made since; 0: all */
	size_t n, n_held;
};

/* -- list -- */

static void say_row(void *arg, const struct outbox_row *row)
{
	struct queue_job *q = arg;
	struct buf *b = &q->ask.out;

	q->n_held += row->state == OUTBOX_HELD;
	if (!q->n++)
		buf_add_str(b, "   ID  STATE      DUE               CHANNEL    "
			       "   SAYS\n");
	buf_printf(b, "%5" PRId64 "  %-9s  ", row->id,
		   outbox_state_name(row->state));
	put_time(b, row->state == OUTBOX_PENDING ? row->next_try : row->due);
	buf_add_str(b, "  ");
	put_column(b, row->channel, 12);
	buf_add_str(b, "  ");
	if (row->target.len) {
		buf_add_str(b, "to ");
		put_clean(b, row->target);
		buf_add_str(b, ": ");
	}
	print_notice_subject(b, row, &q->ask.arena);
	if (row->reason.len) {
		buf_add_str(b, "\n       ");
		put_clean(b, row->reason);
		if (row->tries)
			buf_printf(b, " (%u tries)", row->tries);
	}
	buf_add_char(b, '\n');
	ask_flush(&q->ask);
	arena_reset(&q->ask.arena);
}

static void row_json(void *arg, const struct outbox_row *row)
{
	struct queue_job *q = arg;
	struct json j;

	json_begin(&j, &q->ask.out);
	json_open_object(&j, NULL);
	print_outbox_members(&j, row, &q->ask.arena);
	json_close_object(&j);
	buf_add_char(&q->ask.out, '\n');
	ask_flush(&q->ask);
	arena_reset(&q->ask.arena);
}

static enum status list(struct queue_job *q, struct err *err)
{
	unsigned states = 1u << OUTBOX_HELD | 1u << OUTBOX_PENDING |
			  1u << OUTBOX_SENDING | 1u << OUTBOX_DEAD;
	enum status st = outbox_each(q->ask.store, q->all ? ~0u : states, 0, 0,
				     &q->ask.arena,
				     q->ask.json ? row_json : say_row, q, err);

	if (st != PH_OK || q->ask.json)
		return st;
	if (!q->n)
		buf_add_str(&q->ask.out, q->all ? "the outbox is empty\n"
						: "nothing waits\n");
	if (q->n_held && q->ask.config->send)
		buf_add_str(&q->ask.out, "send is true now: `perfherald outbox "
					 "release` lets the held ones go\n");
	return PH_OK;
}

/* -- retry, drop -- */

static enum status parse_id(const char *text, int64_t *ret, struct err *err)
{
	struct slice s = slice_of(text);
	uint64_t n;

	if (!slice_take_uint(&s, INT64_MAX, &n) || s.len || !n)
		return err_exit(err, PH_BAD, EX_USAGE,
				"%s: not the number of a notice", text);
	*ret = (int64_t)n;
	return PH_OK;
}

static enum status drop(struct queue_job *q, int64_t id, struct err *err)
{
	struct outbox_row row;
	enum status st = outbox_get(q->ask.store, id, &q->ask.arena, &row, err);

	if (st == PH_NONE)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"there is no notice %" PRId64 " in the outbox",
				id);
	if (st != PH_OK)
		return st;
	if (row.state == OUTBOX_SENDING ||
	    !delivery_allowed(row.state, OUTBOX_CANCELLED))
		return err_exit(err, PH_BAD, EX_DATAERR,
				"notice %" PRId64 " is %s", id,
				outbox_state_name(row.state));
	return outbox_cancel(
		q->ask.store, id,
		slice_of(arena_printf(&q->ask.arena, "dropped by %.*s",
				      S_FMT(ask_who(&q->ask.arena)))),
		err);
}

static const char *outcome(const struct queue_job *q)
{
	if (strcmp(q->verb, "retry") != 0)
		return "dropped";
	return q->ask.config->send ? "due now"
				   : "due now, but held while send is false";
}

static enum status change_one(struct queue_job *q, const char *text,
			      struct err *err)
{
	struct store *s = q->ask.store;
	int64_t id = 0;
	enum status st = parse_id(text, &id, err);

	if (st == PH_OK)
		st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	if (!strcmp(q->verb, "retry"))
		st = outbox_retry(s, id, q->ask.now, err);
	else
		st = drop(q, id, err);
	if (st == PH_OK)
		st = audit_add(s, q->ask.now, ask_who(&q->ask.arena),
			       slice_of(arena_printf(&q->ask.arena,
						     "outbox %s %" PRId64,
						     q->verb, id)),
			       0, S(""), err);
	st = store_end(s, st, err);
	if (st != PH_OK)
		return st;
	q->ask.changed = true;
	buf_printf(&q->ask.out, "notice %" PRId64 ": %s\n", id, outcome(q));
	return PH_OK;
}

/* All are tried; the first failure is what the command ends with. */
static enum status change(struct queue_job *q, struct err *err)
{
	enum status ret = PH_OK;

	for (size_t i = 0; i < q->n_ids; i++) {
		struct err one = { 0 };
		enum status st = change_one(q, q->ids[i], &one);

		if (st == PH_OK)
			continue;
		if (ret == PH_OK) {
			*err = one;
			ret = st;
		} else {
			fprintf(stderr, "perfherald: %s\n", one.text);
		}
	}
	return ret;
}

/* -- release -- */

/*
 * A person is asked. A script says --yes beforehand: one that only looked, or
 * whose terminal is gone, must not mail a whole backlog.
 */
static enum status ask_person(const struct queue_job *q, bool *ret_yes,
			      struct err *err)
{
	char answer[16] = "";

	*ret_yes = q->yes;
	if (q->yes)
		return PH_OK;
	if (!isatty(STDIN_FILENO))
		return err_exit(err, PH_BAD, EX_USAGE,
				"nothing was released: there is no terminal to "
				"ask on, so say --yes");
	fputs("release them? [y/N] ", stderr);
	*ret_yes = fgets(answer, sizeof(answer), stdin) &&
		   to_lower(answer[0]) == 'y';
	if (!*ret_yes)
		fputs("nothing was released\n", stderr);
	return PH_OK;
}

/* What is to go; *ret_n counts it. */
static enum status show_held(struct queue_job *q, int64_t *ret_n,
			     struct err *err)
{
	struct store *s = q->ask.store;
	enum status st = outbox_held_counts(s, q->since, &q->ask.arena,
					    &q->ask.out, err);

	if (st == PH_OK)
		st = outbox_release(s, q->since, q->ask.now, true, ret_n, err);
	if (st != PH_OK)
		return st;
	buf_printf(&q->ask.out, "%" PRId64 " notice%s held%s\n", *ret_n,
		   *ret_n == 1 ? " is" : "s are",
		   *ret_n ? "" : "; nothing to do");
	ask_flush(&q->ask);
	fflush(stdout);
	return PH_OK;
}

static enum status release(struct queue_job *q, struct err *err)
{
	struct store *s = q->ask.store;
	bool yes;
	int64_t n;
	enum status st;

	if (!q->ask.config->send)
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s says send: false, so nothing can be "
				"released; set send: true first",
				q->ask.config->file);
	st = show_held(q, &n, err);
	if (st != PH_OK || !n)
		return st;
	st = ask_person(q, &yes, err);
	if (st != PH_OK || !yes)
		return st;
	st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	st = outbox_release(s, q->since, q->ask.now, false, &n, err);
	if (st == PH_OK)
		st = audit_add(s, q->ask.now, ask_who(&q->ask.arena),
			       S("outbox release"), 0, S(""), err);
	st = store_end(s, st, err);
	if (st != PH_OK)
		return st;
	q->ask.changed = true;
	buf_printf(&q->ask.out, "%" PRId64 " released\n", n);
	return PH_OK;
}

/* -- the command -- */

static int check(const struct queue_job *q)
{
	bool ids = !strcmp(q->verb, "retry") || !strcmp(q->verb, "drop");

	if (!ids && strcmp(q->verb, "list") != 0 &&
	    strcmp(q->verb, "release") != 0)
		return command_usage("outbox",
				     "%s is none of list, retry, "
				     "drop, release",
				     q->verb);
	if (q->all && strcmp(q->verb, "list") != 0)
		return command_usage("outbox", "--all is for list");
	if ((q->since || q->yes) && strcmp(q->verb, "release") != 0)
		return command_usage("outbox", "%s is for release",
				     q->yes ? "--yes" : "--since");
	if (ids && !q->n_ids)
		return command_usage("outbox", "%s which notice?", q->verb);
	if (!ids && q->n_ids)
		return command_usage("outbox", "%s takes no number", q->verb);
	return 0;
}

static int read_args(struct queue_job *q, struct args *args)
{
	const char *word;
	int code = 0;

	while (args_more(args) && !code) {
		if (ask_format(&q->ask, args, &code) ||
		    ask_since(args, q->ask.now, &q->since, &code))
			continue;
		if (args_flag(args, "--all"))
			q->all = true;
		else if (args_flag(args, "--yes"))
			q->yes = true;
		else if (!args_word(args, &word)) {
			return args_fail(args);
		} else if (!q->verb) {
			q->verb = word;
		} else {
			q->ids[q->n_ids++] = word;
		}
	}
	if (args->missing)
		return args_fail(args);
	if (!q->verb)
		q->verb = "list";
	return code ? code : check(q);
}

static int run(struct queue_job *q, const char *config_path)
{
	struct err err = { 0 };
	bool is_list;
	int code;

	assert(q->verb);
	is_list = !strcmp(q->verb, "list");
	q->ask.use = is_list ? CONFIG_TO_ASK : CONFIG_TO_WORK;
	code = ask_open(&q->ask, config_path);
	if (code)
		return code;
	if (is_list)
		return ask_close(&q->ask, list(q, &err), &err);
	if (!strcmp(q->verb, "release"))
		return ask_deliver(&q->ask, release(q, &err), &err);
	return ask_deliver(&q->ask, change(q, &err), &err);
}

int cmd_outbox(int argc, char **argv, const char *config_path)
{
	struct queue_job q = { .ids = xcalloc((size_t)argc, sizeof(char *)) };
	struct args args = args_of(argc, argv);
	int code;

	q.ask.now = ask_now();
	code = read_args(&q, &args);
	if (!code)
		code = run(&q, config_path);
	free(q.ids);
	return code;
}
