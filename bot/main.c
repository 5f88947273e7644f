#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sysexits.h>
#include "bot/command.h"
#include "bot/inherit.h"
#include "config/nearest.h"
#include "ph/config.h"
#include "ph/hash.h"
#include "ph/log.h"
#include "ph/notice.h"
#include "ph/slice.h"
#include "ph/utf8.h"

#define HELP_WIDTH 78

static void print_commands(FILE *out)
{
	fputs("usage: perfherald [-c FILE] COMMAND [ARGUMENT...]\n"
	      "       perfherald COMMAND --help\n\n"
	      "Reads the kernel test robot's performance reports from a "
	      "mailbox and tells the\npeople concerned.\n\n",
	      out);
	for (size_t i = 0; i < n_commands; i++)
		fprintf(out, "  %-14s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n  -c, --config FILE  configuration (" CONFIG_USUAL ")\n"
	      "  -v, --verbose      say more on standard error\n"
	      "      --version      print the version\n",
	      out);
}

__attribute__((format(printf, 1, 2))) static int usage(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	utf8_flatten(text, strlen(text));
	fprintf(stderr, "perfherald: %s (perfherald --help lists all)\n", text);
	return EX_USAGE;
}

/* Fills lines of at most HELP_WIDTH columns. */
static void print_filled(struct slice text)
{
	struct slice word;
	size_t column = 0;

	while (slice_take_word(&text, &word)) {
		if (column && column + 1 + word.len > HELP_WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "",
					 S_FMT(word));
	}
	putchar('\n');
}

/* Lines are paragraphs; indented ones stay as they are. */
static void print_details(struct slice details)
{
	struct slice line;

	putchar('\n');
	while (slice_take_line(&details, &line)) {
		if (line.len && line.ptr[0] == ' ')
			printf("%.*s\n", S_FMT(line));
		else
			print_filled(line);
	}
}

static void print_help(const struct command *c)
{
	printf("usage: perfherald [-c FILE] %s%s%s\n\n%s.\n", c->name,
	       c->synopsis[0] ? " " : "", c->synopsis, c->summary);
	if (c->details)
		print_details(slice_of(c->details));
}

static bool is_option(const char *arg, const char *brief, const char *full)
{
	return !strcmp(arg, brief) || !strcmp(arg, full);
}

/* An argument behind "--" is a name, whatever it looks like. */
static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_option(argv[i], "-h", "--help"))
			return true;
	return false;
}

static int no_such_command(const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; i < n_commands; i++)
		nearest_offer(&near, commands[i].name);
	if (!near.found)
		return usage("no such command: %s", name);
	return usage("no such command: %s; did you mean \"%s\"?", name,
		     near.found);
}

static int run(int argc, char **argv, const char *config_path)
{
	const struct command *c = command_find(argv[0]);

	if (!c)
		return no_such_command(argv[0]);
	if (!asks_for_help(argc, argv))
		return c->run(argc, argv, config_path);
	print_help(c);
	return EX_OK;
}

/* A full disk shows only when the last bytes leave the buffer. A reader that
 * had enough (`| head`) is no news to anyone. */
static int close_stdout(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno != EPIPE)
		fprintf(stderr, "perfherald: standard output: %s\n",
			strerror(errno));
	return code ? code : EX_IOERR;
}

/*
 * Reads what stands before the command. Returns its index in argv (argc:
 * there is none), or -1 when all is said and *ret_code is the exit code.
 */
static int read_options(int argc, char **argv, const char **ret_config,
			int *ret_code)
{
	int i;

	*ret_code = EX_OK;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (is_option(argv[i], "-h", "--help")) {
			print_commands(stdout);
			return -1;
		}
		if (!strcmp(argv[i], "--version")) {
			puts("perfherald " VERSION);
			return -1;
		}
		if (is_option(argv[i], "-v", "--verbose")) {
			log_set_level(LOG_DEBUG_);
			continue;
		}
		if (!strncmp(argv[i], "--config=", 9)) {
			*ret_config = argv[i] + 9;
			continue;
		}
		if (!is_option(argv[i], "-c", "--config")) {
			*ret_code = usage("unknown option: %s", argv[i]);
			return -1;
		}
		if (++i == argc) {
			*ret_code = usage("a file must follow %s", argv[i - 1]);
			return -1;
		}
		*ret_config = argv[i];
	}
	return i;
}

int main(int argc, char **argv)
{
	const char *config_path = CONFIG_USUAL;
	int at, code;

	/* No core of ours, and no debugger of the same user, sees a secret. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!inherit_mend())
		return EX_OSERR;
	hash_init();
	notice_init();
	at = read_options(argc, argv, &config_path, &code);
	if (at < 0)
		return close_stdout(code);
	if (at == argc) {
		print_commands(stderr);
		return EX_USAGE;
	}
	return close_stdout(run(argc - at, argv + at, config_path));
}
