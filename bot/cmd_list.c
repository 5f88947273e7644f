#include "bot/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/print_patch.h"
#include "bot/store/query.h"

/* list: patches, or messages that something is odd about. */

#define USUAL_LIMIT 50
#define FORGOTTEN   (7 * 86400) /* seconds without anybody's word */

struct listing {
	struct ask ask;
	struct patch_filter filter;
	unsigned states; /* of messages; 0: patches */
	bool partial;
	int64_t shown;
};

/* -- options with a value -- */

static int not_a(const char *option, const char *wants, const char *value)
{
	return command_usage("list", "%s is %s, not %s", option, wants, value);
}

/* "a, b or c" of the names that fn gives for 0 to n - 1; static memory. */
static const char *names_of(const char *(*fn)(int), int n)
{
	static char text[256];
	size_t len = 0;

	for (int i = 0; i < n; i++) {
		const char *before = i + 1 == n ? " or " : ", ";

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
					i ? before : "", fn(i));
	}
	return text;
}

static const char *life_name(int i)
{
	return patch_life_name((enum patch_life)i);
}

static const char *state_name(int i)
{
	return message_state_name((enum message_state)i);
}

static int take_lives(const char *value, unsigned *ret)
{
	struct slice s = slice_of(value), word;
	enum patch_life life;
	char wants[300];

	*ret = 0;
	do {
		if (!slice_take_until(&s, ',', &word)) {
			word = s;
			s.len = 0;
		}
		if (!patch_life_parse(word, &life)) {
			snprintf(wants, sizeof(wants),
				 "%s, or several with commas between",
				 names_of(life_name, LIFE_STATES));
			return not_a("--state", wants, value);
		}
		*ret |= 1u << life;
	} while (s.len);
	return 0;
}

static int take_state(const char *value, unsigned *ret)
{
	for (int i = 0; i < MESSAGE_STATES; i++)
		if (!strcmp(value, state_name(i))) {
			*ret |= 1u << i;
			return 0;
		}
	return not_a("--messages", names_of(state_name, MESSAGE_STATES), value);
}

static int take_limit(const char *value, int64_t *ret)
{
	struct slice s = slice_of(value);
	uint64_t n;

	if (!slice_take_uint(&s, 1000000, &n) || s.len || !n)
		return not_a("--limit", "a whole number from 1 to 1000000",
			     value);
	*ret = (int64_t)n;
	return 0;
}

static int take_verdict(const char *value, enum verdict *ret)
{
	for (*ret = VERDICT_IMPROVEMENT; *ret <= VERDICT_REGRESSION; ++*ret)
		if (!strcmp(value, verdict_name(*ret)))
			return 0;
	return not_a("--verdict", "regression or improvement", value);
}

/* False: it is none of these. */
static bool take_valued(struct listing *l, struct args *args, int *ret_code)
{
	const char *value;

	if (ask_format(&l->ask, args, ret_code) ||
	    ask_since(args, ask_now(), &l->filter.since, ret_code))
		return true;
	if (args_value(args, "--state", &value))
		*ret_code = take_lives(value, &l->filter.lives);
	else if (args_value(args, "--verdict", &value))
		*ret_code = take_verdict(value, &l->filter.verdict);
	else if (args_value(args, "--messages", &value))
		*ret_code = take_state(value, &l->states);
	else if (args_value(args, "--limit", &value))
		*ret_code = take_limit(value, &l->filter.limit);
	else
		return false;
	return true;
}

static bool take_flag(struct listing *l, struct args *args)
{
	if (args_flag(args, "--partial"))
		l->partial = true;
	else if (args_flag(args, "--forgotten"))
		l->filter.forgotten = ask_now() - FORGOTTEN;
	else if (args_flag(args, "--all"))
		l->filter.limit = 0;
	else
		return false;
	return true;
}

/* What narrows down patches says nothing about messages. */
static int check(const struct listing *l)
{
	const struct patch_filter *f = &l->filter;

	if (!l->partial && !l->states)
		return 0;
	if (f->text.len || f->since || f->lives || f->verdict || f->forgotten)
		return command_usage("list",
				     "--messages and --partial list messages: "
				     "TEXT, --since, --state, --verdict and "
				     "--forgotten are for patches");
	return 0;
}

static int read_args(struct listing *l, struct args *args)
{
	const char *word;
	int code = 0;

	while (args_more(args) && !code) {
		if (take_valued(l, args, &code) || take_flag(l, args))
			continue;
		if (!args_word(args, &word))
			return args_fail(args);
		if (l->filter.text.len)
			return command_usage("list",
					     "one TEXT: put quotes around "
					     "several words (\"%.*s %s\")",
					     S_FMT(l->filter.text), word);
		l->filter.text = slice_of(word);
	}
	if (args->missing)
		return args_fail(args);
	return code ? code : check(l);
}

static void put_age(struct listing *l, int64_t since)
{
	buf_printf(&l->ask.out, "%5lld  ",
		   (long long)(ask_now() - since) / 86400);
}

static void show_patch(void *arg, const struct patch_line *line)
{
	struct listing *l = arg;

	if (l->ask.json) {
		print_patch_line_json(&l->ask.out, line);
	} else {
		if (l->filter.forgotten)
			put_age(l, line->patch.first_seen);
		print_patch_line(&l->ask.out, line);
	}
	l->shown++;
	ask_flush(&l->ask);
}

static void show_message(void *arg, const struct message_row *row)
{
	struct listing *l = arg;

	if (l->ask.json)
		print_message_line_json(&l->ask.out, row);
	else
		print_message_line(&l->ask.out, row);
	l->shown++;
	ask_flush(&l->ask);
}

static enum status list_messages(struct listing *l, struct err *err)
{
	if (!l->ask.json)
		print_message_heading(&l->ask.out);
	return query_messages(l->ask.store, l->states ? l->states : ~0u,
			      l->partial, 0, l->filter.limit, &l->ask.arena,
			      show_message, l, err);
}

static enum status list(struct listing *l, struct err *err)
{
	enum status st;

	if (l->partial || l->states)
		return list_messages(l, err);
	if (!l->ask.json && l->filter.forgotten)
		buf_add_str(&l->ask.out, " DAYS  ");
	if (!l->ask.json)
		print_patch_heading(&l->ask.out);
	st = query_patches(l->ask.store, &l->filter, &l->ask.arena, show_patch,
			   l, err);
	if (st == PH_OK && !l->ask.json && l->filter.limit &&
	    l->shown == l->filter.limit)
		buf_printf(&l->ask.out, "(the newest %lld; --all for all)\n",
			   (long long)l->shown);
	return st;
}

int cmd_list(int argc, char **argv, const char *config_path)
{
	struct listing l = { .filter = { .limit = USUAL_LIMIT } };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	int code = read_args(&l, &args);

	if (code)
		return code;
	code = ask_open(&l.ask, config_path);
	if (code)
		return code;
	return ask_close(&l.ask, list(&l, &err), &err);
}
