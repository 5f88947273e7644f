#include "bot/command.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "bot/args.h"
#include "bot/print_report.h"
#include "ph/message.h"
#include "ph/source.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

struct job {
	enum format format;
	struct arena arena; /* of the message in hand */
	struct buf out;
	size_t n_printed;
	int code; /* of the first failure */
};

/* Errors of a source name the path themselves. */
static void complain(struct job *job, enum status s, const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	if (!job->code)
		job->code = err_exit_code(err, s);
}

static void complain_at(struct job *job, struct slice where, enum status s,
			const struct err *err)
{
	struct err full;

	err_exit(&full, s, err->exit_code, "%.*s: %s", S_FMT(where), err->text);
	complain(job, s, &full);
}

static void print(struct job *job, const struct report *r, const char *path,
		  const struct source_item *item)
{
	buf_reset(&job->out);
	if (job->format == FORMAT_JSON) {
		print_report_json(&job->out, r, path, item->index);
	} else {
		if (job->n_printed)
			buf_add_char(&job->out, '\n');
		print_report_text(&job->out, r, item->where);
	}
	fwrite(job->out.ptr, 1, job->out.len, stdout);
	job->n_printed++;
}

static void parse_message(struct job *job, const char *path,
			  const struct source_item *item)
{
	struct message msg;
	struct report r;
	struct err err;
	enum status s;

	arena_reset(&job->arena);
	s = message_read(item->raw, &job->arena, &msg, &err);
	if (!s)
		s = report_read(&msg, &job->arena, &r, &err);
	if (s)
		complain_at(job, item->where, s, &err);
	else
		print(job, &r, path, item);
}

static void parse_source(struct job *job, const char *path)
{
	struct source *src;
	struct source_item item = { 0 };
	struct err err;
	enum status s = source_open(path, &src, &err);

	if (s) {
		complain(job, s, &err);
		return;
	}
	while ((s = source_next(src, &item, &err)) == PH_OK || s == PH_BAD) {
		if (s)
			complain(job, s, &err);
		else
			parse_message(job, path, &item);
	}
	if (s != PH_NONE)
		complain(job, s, &err);
	source_close(src);
}

/* Leaves the messages in argv from 1 on. */
static int read_args(int argc, char **argv, struct job *job, int *ret_n)
{
	struct args args = args_of(argc, argv);
	const char *word;

	while (args_more(&args)) {
		if (args_value(&args, "--format", &word)) {
			job->format = !strcmp(word, "json") ? FORMAT_JSON
							    : FORMAT_TEXT;
			if (job->format == FORMAT_TEXT &&
			    strcmp(word, "text") != 0)
				return command_usage("parse",
						     "--format is text or "
						     "json, not %s",
						     word);
			continue;
		}
		if (!args_word(&args, &word))
			return args_fail(&args);
		argv[++*ret_n] = argv[args.at - 1];
	}
	if (args.missing)
		return args_fail(&args);
	if (!*ret_n)
		return command_usage("parse", "which messages?");
	return EX_OK;
}

int cmd_parse(int argc, char **argv, const char *config_path)
{
	struct job job = { .format = FORMAT_TEXT };
	int n = 0;

	(void)config_path;
	if (read_args(argc, argv, &job, &n))
		return EX_USAGE;
	arena_init(&job.arena);
	buf_init(&job.out);
	for (int i = 1; i <= n; i++)
		parse_source(&job, argv[i]);
	arena_release(&job.arena);
	buf_release(&job.out);
	return job.code;
}
