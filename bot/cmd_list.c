#include "bot/command.h"

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

static bool parse_lives(const char *text, unsigned *ret)
{
	struct slice s = slice_of(text), word;
	enum patch_life life;

	*ret = 0;
	while (s.len) {
		if (!slice_take_until(&s, ',', &word)) {
			word = s;
			s.len = 0;
		}
		if (!patch_life_parse(word, &life))
			return false;
		*ret |= 1u << life;
	}
	return *ret;
}

static bool parse_state(const char *text, unsigned *ret)
{
	for (int i = 0; i < MESSAGE_STATES; i++) {
		if (strcmp(text, message_state_name(i)) != 0)
			continue;
		*ret |= 1u << i;
		return true;
	}
	return false;
}

static bool parse_limit(const char *text, int64_t *ret)
{
	struct slice s = slice_of(text);
	uint64_t n;

	if (!slice_take_uint(&s, 1000000, &n) || s.len)
		return false;
	*ret = (int64_t)n;
	return true;
}

static bool parse_verdict(const char *text, enum verdict *ret)
{
	*ret = !strcmp(text, "improvement") ? VERDICT_IMPROVEMENT
					    : VERDICT_REGRESSION;
	return !strcmp(text, verdict_name(*ret));
}

/* One option with a value; false: its value is no good. */
static bool take_value(struct listing *l, const char *name, const char *value)
{
	if (!strcmp(name, "--since"))
		return ask_since(value, ask_now(), &l->filter.since);
	if (!strcmp(name, "--state"))
		return parse_lives(value, &l->filter.lives);
	if (!strcmp(name, "--verdict"))
		return parse_verdict(value, &l->filter.verdict);
	if (!strcmp(name, "--messages"))
		return parse_state(value, &l->states);
	return parse_limit(value, &l->filter.limit);
}

static int read_args(struct listing *l, struct args *args)
{
	static const char *const with_value[] = { "--since", "--state",
						  "--verdict", "--messages",
						  "--limit" };
	const char *value, *word;
	int code = 0;
	size_t i;

	while (args_more(args) && !code) {
		if (ask_format(&l->ask, args, &code))
			continue;
		if (args_flag(args, "--partial")) {
			l->partial = true;
			continue;
		}
		if (args_flag(args, "--forgotten")) {
			l->filter.forgotten = ask_now() - FORGOTTEN;
			continue;
		}
		if (args_flag(args, "--all")) {
			l->filter.limit = 0;
			continue;
		}
		for (i = 0; i < ARRAY_LEN(with_value); i++)
			if (args_value(args, with_value[i], &value))
				break;
		if (i < ARRAY_LEN(with_value)) {
			if (!take_value(l, with_value[i], value))
				return command_usage("list",
						     "%s: %s is no good value",
						     with_value[i], value);
		} else if (args_word(args, &word)) {
			l->filter.text = slice_of(word);
		} else {
			return args_fail(args);
		}
	}
	return args->missing ? args_fail(args) : code;
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
