#include "bot/ask.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/name.h"
#include "bot/supervisor.h"
#include "config/nearest.h"
#include "ph/clock.h"
#include "ph/utf8.h"

bool ask_format(struct ask *a, struct args *args, int *ret_code)
{
	const char *value;

	if (!args_value(args, "--format", &value))
		return false;
	a->json = !strcmp(value, "json");
	if (!a->json && strcmp(value, "text") != 0)
		*ret_code = command_usage(args->argv[0],
					  "--format is text or json, not %s",
					  value);
	return true;
}

static void release(struct ask *a)
{
	store_close(a->store);
	config_free(a->config);
	arena_release(&a->arena);
	buf_release(&a->out);
	a->store = NULL;
	a->config = NULL;
}

int ask_open(struct ask *a, const char *config_path)
{
	struct err err;
	enum status st;
	int code = 0;

	arena_init(&a->arena);
	buf_init(&a->out);
	a->now = ask_now();
	a->config = command_config(config_path, a->use, &code);
	if (a->config) {
		st = a->makes_state ? store_migrate(a->config->state, &err)
				    : PH_OK;
		if (st == PH_OK)
			st = store_open(a->config->state, &a->store, &err);
		if (st == PH_OK)
			return EX_OK;
		fprintf(stderr, "perfherald: %s\n", err.text);
		code = err_exit_code(&err, st);
	}
	release(a);
	return code;
}

void ask_flush(struct ask *a)
{
	fwrite(buf_str(&a->out), 1, a->out.len, stdout);
	buf_reset(&a->out);
}

static int finish(struct ask *a, enum status st, const struct err *err)
{
	ask_flush(a);
	if (st == PH_OK)
		return EX_OK;
	fprintf(stderr, "perfherald: %s\n", err->text);
	return err_exit_code(err, st);
}

int ask_close(struct ask *a, enum status st, const struct err *err)
{
	int code = finish(a, st, err);

	release(a);
	return code;
}

int ask_deliver(struct ask *a, enum status st, const struct err *err)
{
	int code = finish(a, st, err), delivered = EX_OK;

	store_close(a->store);
	a->store = NULL;
	fflush(stdout);
	if (a->changed)
		delivered = supervisor_deliver(a->config);
	release(a);
	return code ? code : delivered;
}

/* -- printing -- */

void put_clean(struct buf *b, struct slice s)
{
	utf8_put_clean(b, s);
}

void put_column(struct buf *b, struct slice s, size_t width)
{
	struct slice shown = utf8_cut_points(s, width);

	utf8_put_clean(b, shown);
	for (size_t n = utf8_count(shown); n < width; n++)
		buf_add_char(b, ' ');
}

void put_time(struct buf *b, int64_t t)
{
	char text[32];

	if (!t) {
		buf_add_char(b, '-');
		return;
	}
	clock_rfc3339(t, text);
	buf_printf(b, "%.10s %.5s", text, text + 11);
}

void put_json_time(struct json *j, const char *key, int64_t t)
{
	char text[32];

	if (!t)
		return;
	clock_rfc3339(t, text);
	json_put_cstr(j, key, text);
}

/* -- what people type -- */

enum status ask_channel(const struct config *config, const char *name,
			const struct config_channel **ret, struct err *err)
{
	struct nearest near;

	*ret = config_channel(config, name);
	if (*ret)
		return PH_OK;
	nearest_init(&near, name);
	for (size_t i = 0; i < config->n_channels; i++)
		nearest_offer(&near, config->channels[i].name);
	return err_exit(err, PH_BAD, EX_CONFIG,
			"%s: no channel of this name in %s%s%s%s", name,
			config->file, near.found ? "; did you mean \"" : "",
			near.found ? near.found : "", near.found ? "\"?" : "");
}

enum status ask_patch(struct ask *a, const char *name, struct patch_row *ret,
		      struct err *err)
{
	enum status st = patch_find(a->store, name_plain(name, &a->arena),
				    &a->arena, ret, err);

	if (st != PH_NONE)
		return st;
	return err_exit(err, PH_BAD, EX_DATAERR,
			"%s: no such patch (id, commit, Message-ID or the "
			"whole title; perfherald list TEXT finds it)",
			name);
}

int64_t ask_now(void)
{
	return clock_wall();
}

static bool parse_since(struct slice text, int64_t now, int64_t *ret)
{
	int64_t span;

	if (!clock_parse_span(text, &span))
		return clock_parse_rfc3339(text, ret) && *ret <= now;
	*ret = now - span;
	return true;
}

bool ask_since(struct args *args, int64_t now, int64_t *ret, int *ret_code)
{
	return ask_time(args, "--since", now, ret, ret_code);
}

bool ask_time(struct args *args, const char *name, int64_t now, int64_t *ret,
	      int *ret_code)
{
	const char *value;

	if (!args_value(args, name, &value))
		return false;
	if (!parse_since(slice_of(value), now, ret))
		*ret_code = command_usage(
			args->argv[0],
			"%s is a span back from now (30s, 5m, 8h, 7d, 2w) "
			"or a past date (2026-11-30, 2026-11-30T08:00:00Z), "
			"not %s",
			name, value);
	return true;
}

struct slice ask_who(struct arena *arena)
{
	const char *sudo = getenv("SUDO_USER");
	const struct passwd *user = getpwuid(getuid());

	if (sudo && *sudo)
		return arena_copy(arena, slice_of(sudo));
	if (user)
		return arena_copy(arena, slice_of(user->pw_name));
	return slice_of(arena_printf(arena, "uid %u", (unsigned)getuid()));
}
