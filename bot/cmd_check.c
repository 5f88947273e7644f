#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/args.h"
#include "bot/command.h"
#include "bot/target.h"
#include "ph/channel.h"
#include "ph/imap.h"

static int print_schema(void)
{
	struct buf text;

	buf_init(&text);
	config_schema(&text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return EX_OK;
}

/* -- what is no mistake in the file, and yet not what was meant -- */

static void warn(const char *text)
{
	fprintf(stderr, "warning: %s\n", text);
}

static void warn_folder(const char *key, const char *path)
{
	char folder[4096];
	struct stat st;
	char *slash;

	if (!path || strlen(path) >= sizeof(folder))
		return;
	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	*(slash == folder ? slash + 1 : slash) = '\0';
	if (stat(folder, &st) != 0)
		fprintf(stderr, "warning: %s: folder %s: %s\n", key, folder,
			strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		fprintf(stderr, "warning: %s: %s is no folder\n", key, folder);
	else if (access(folder, W_OK) != 0)
		fprintf(stderr,
			"warning: %s: folder %s: you may not write there (run "
			"this as the user of the service)\n",
			key, folder);
}

static void warn_git(const struct config_git *git)
{
	if (git->path && access(git->path, R_OK) != 0)
		fprintf(stderr, "warning: git: %s: %s\n", git->path,
			strerror(errno));
}

static bool match_asks(const struct config_match *m, enum match_key key)
{
	bool asks = config_match_has(m, key);

	for (size_t i = 0; i < m->n_all; i++)
		asks |= match_asks(m->all[i], key);
	for (size_t i = 0; i < m->n_any; i++)
		asks |= match_asks(m->any[i], key);
	return asks || (m->not_ && match_asks(m->not_, key));
}

static void warn_people(const struct config *c, const struct config_channel *ch)
{
	for (size_t i = 0; i < ch->to.n; i++)
		if (target_is_people(ch, slice_of(ch->to.item[i])) &&
		    strcmp(ch->to.item[i], "@author") != 0)
			fprintf(stderr,
				"warning: %s:%u: channel %s: %s is nobody "
				"without git\n",
				c->file, ch->mark.line, ch->name,
				ch->to.item[i]);
}

static void warn_without_git(const struct config *c)
{
	for (size_t i = 0; i < c->n_routes; i++)
		if (match_asks(&c->routes[i].match, MATCH_FILES))
			fprintf(stderr,
				"warning: %s:%u: files: without git nobody "
				"knows which files a patch touches\n",
				c->file, c->routes[i].mark.line);
	for (size_t i = 0; i < c->n_channels; i++)
		warn_people(c, &c->channels[i]);
}

/* Some passwords do; mostly it is a slip of whoever wrote the file. */
static void warn_blank(const char *path)
{
	struct err ignored;
	char *secret;
	size_t len;

	if (!path || secret_read(path, &secret, &ignored) != PH_OK)
		return;
	len = strlen(secret);
	if (is_blank(secret[0]) || is_blank(secret[len - 1]))
		fprintf(stderr,
			"warning: %s: the blank at the %s of its first line "
			"is taken as a part of the secret\n",
			path, is_blank(secret[0]) ? "start" : "end");
	secret_free(secret);
}

static void warn_secrets(const struct config *c)
{
	for (size_t i = 0; i < c->n_mailboxes; i++)
		warn_blank(c->mailboxes[i].password_file);
	if (c->has_smtp)
		warn_blank(c->smtp.password_file);
	for (size_t i = 0; i < c->n_channels; i++) {
		warn_blank(c->channels[i].url_file);
		warn_blank(c->channels[i].token_file);
		warn_blank(c->channels[i].secret_file);
	}
}

static void warn_all(const struct config *c)
{
	if (!c->n_mailboxes)
		warn("there is no mailbox: only what is handed to `perfherald "
		     "process` is read");
	if (!c->n_routes)
		warn("there is no route: nobody is ever told");
	if (!c->operator_)
		warn("there is no operator: trouble shows only in the log and "
		     "in `perfherald status`");
	if (!c->send)
		warn("send is false: notices are held, nothing goes out");
	warn_folder("state", c->state);
	warn_folder("archive", c->archive);
	warn_folder("status_file", c->status_file);
	warn_secrets(c);
	warn_git(&c->git);
	if (!c->git.path)
		warn_without_git(c);
}

/* -- --connect -- */

/* The first failure is the exit code; a peer that may be there later is not
 * there now, and one that refuses us is no bad data of ours. */
static void note(int *code, const struct err *err, enum status s)
{
	if (*code)
		return;
	*code = err_exit_code(err, s);
	if (*code == EX_TEMPFAIL || *code == EX_DATAERR)
		*code = EX_UNAVAILABLE;
}

#define MAX_SHOWN 3

static enum status show_folder(struct imap *imap, const char *name,
			       struct err *err)
{
	struct imap_folder folder;
	enum status s = imap_select(imap, name, &folder, err);

	if (s == PH_OK)
		printf("  %s: %u messages\n", name, folder.exists);
	return s;
}

/* The names live until the next call only. */
static enum status look_into(struct imap *imap, struct err *err)
{
	const char *const *folders;
	char *names[MAX_SHOWN];
	enum status s;
	size_t n, shown;

	s = imap_folders(imap, &folders, &n, err);
	if (s != PH_OK)
		return s;
	shown = n < MAX_SHOWN ? n : MAX_SHOWN;
	for (size_t i = 0; i < shown; i++)
		names[i] = xstrdup(folders[i]);
	for (size_t i = 0; i < shown; i++) {
		if (s == PH_OK)
			s = show_folder(imap, names[i], err);
		free(names[i]);
	}
	if (s == PH_OK && n > shown)
		printf("  and %zu more folders\n", n - shown);
	if (s == PH_OK)
		printf("  news by %s\n",
		       imap_has_idle(imap) ? "IDLE" : "polling");
	return s;
}

static void connect_mailbox(const struct config_mailbox *box, int *code)
{
	struct imap *imap = NULL;
	struct err err;
	enum status s = imap_open(box, &imap, &err);

	if (s == PH_OK) {
		printf("mailbox %s: logged in\n", box->name);
		s = look_into(imap, &err);
	}
	if (s != PH_OK) {
		fprintf(stderr, "mailbox %s: %s\n", box->name, err.text);
		note(code, &err, s);
	}
	imap_close(imap);
}

static void connect_channel(struct sender *sender,
			    const struct config_channel *ch, int *code)
{
	struct err err;
	enum status s = channel_probe(sender, ch, &err);

	if (s == PH_OK) {
		printf("channel %s: %s answers\n", ch->name,
		       channel_type_name(ch->type));
		return;
	}
	fprintf(stderr, "channel %s: %s\n", ch->name, err.text);
	note(code, &err, s);
}

static int connect_all(const struct config *c)
{
	struct sender *sender = sender_new(c);
	int code = EX_OK;

	for (size_t i = 0; i < c->n_mailboxes; i++)
		connect_mailbox(&c->mailboxes[i], &code);
	for (size_t i = 0; i < c->n_channels; i++)
		connect_channel(sender, &c->channels[i], &code);
	sender_free(sender);
	return code;
}

int cmd_check(int argc, char **argv, const char *config_path)
{
	bool with_connect = false, schema = false;
	struct config *config;
	struct args args = args_of(argc, argv);
	const char *word;
	int code = EX_OK;

	while (args_more(&args)) {
		if (args_flag(&args, "--connect"))
			with_connect = true;
		else if (args_flag(&args, "--schema"))
			schema = true;
		else if (args_word(&args, &word))
			return command_usage("check",
					     "%s: the file to check is named "
					     "by -c, before the command",
					     word);
		else
			return args_fail(&args);
	}
	if (schema)
		return print_schema();
	config = command_config(config_path, CONFIG_TO_WORK, &code);
	if (!config)
		return code;
	warn_all(config);
	printf("%s: no mistake (mailboxes %zu, channels %zu, routes %zu)\n",
	       config_path, config->n_mailboxes, config->n_channels,
	       config->n_routes);
	if (with_connect)
		code = connect_all(config);
	config_free(config);
	return code;
}
