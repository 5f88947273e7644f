/* config: one row a mistake, with the very words that a person gets to see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/config.h"
#include "ph/limits.h"
#include "tests/guard.h"

#define PROOF "trust: {proof: none}\n"
#define SMTP  "smtp: {url: smtp://h, from: a@b.c}\n"
#define CH    "channels: {c: {type: stdout}}\n"

static struct mistake {
	const char *name, *yaml, *want; /* lines, each ending in LF */
} mistakes[] = {
	/* the shape of the file */
	{ "empty", "", "f:1:1: the file holds no keys\n" },
	{ "comments only", "# send: true\n",
	  "f:1:1: the file holds no keys\n" },
	{ "a list", "- a\n",
	  "f:1:1: the file must be a map of keys, not a "
	  "list\n" },
	{ "a text", "hello\n",
	  "f:1:1: the file must be a map of keys, not a "
	  "single value\n" },
	{ "no YAML", "send: [true\n",
	  "f:2:1: not YAML: while parsing a flow sequence, did not find "
	  "expected ',' or ']'\n" },
	{ "a tab", PROOF "smtp:\n\turl: x\n",
	  "f:3:1: not YAML: a tab before the text; indent with spaces\n" },
	{ "no UTF-8", PROOF "archive: /a\xff\n",
	  "f:2:12: not UTF-8 text: invalid leading UTF-8 octet\n" },
	{ "an anchor", PROOF "send: &x true\n",
	  "f:2:7: anchor \"&x\": write the value out where it is needed, "
	  "anchors are not read\n" },
	{ "an alias", PROOF "send: *x\n",
	  "f:2:7: alias \"*x\": write the value out, aliases are not read (a "
	  "glob that starts with * needs quotes)\n" },
	{ "a tag", PROOF "send: !!bool true\n",
	  "f:2:7: tag \"tag:yaml.org,2002:bool\": types are known here, leave "
	  "it out\n" },
	{ "two documents", PROOF "---\nsend: true\n",
	  "f:2:1: a second document: one file holds one configuration\n" },
	{ "a list as a key", PROOF "? [a]\n: b\n",
	  "f:2:3: a key must be a plain word\n" },
	{ "a NUL", PROOF "archive: \"/a\\0b\"\n", "f:2:10: a NUL in a text\n" },
	{ "a control character", PROOF "archive: \"/a\\eb\"\n",
	  "f:2:10: archive holds a control character\n" },

	/* keys */
	{ "unknown key", PROOF "mailbox: {}\n",
	  "f:2:1: unknown key \"mailbox\" in the file; did you mean "
	  "\"mailboxes\"?\n" },
	{ "unknown key, nothing near", PROOF "colour: red\n",
	  "f:2:1: unknown key \"colour\" in the file\n" },
	{ "unknown key deep below",
	  PROOF CH "routes:\n  - match: {all: [{verdit: regression}]}\n"
		   "    to: c\n",
	  "f:4:20: unknown key \"verdit\" in a match; did you mean "
	  "\"verdict\"?\n" },
	{ "key given twice",
	  PROOF "send: true\n"
		"send: false\n",
	  "f:3:1: \"send\" is given twice, first in line 2\n" },
	{ "channel given twice",
	  PROOF "channels:\n  a: {type: stdout}\n  a: {type: stdout}\n",
	  "f:4:3: \"a\" is given twice, first in line 3\n" },
	{ "name with a slash", PROOF "channels: {a/b: {type: stdout}}\n",
	  "f:2:12: the name \"a/b\" must be 1 to 64 letters, digits, hyphens, "
	  "dots or underscores\n" },
	{ "no value", PROOF "archive:\n", "f:2:9: archive has no value\n" },
	{ "empty text", PROOF "archive: \"\"\n",
	  "f:2:10: archive has no value\n" },
	{ "a list for a value", PROOF "send: [true]\n",
	  "f:2:7: send must be a single value, not a list\n" },
	{ "a map in a list", PROOF "trust: {from: [{a: b}]}\n",
	  "f:2:1: \"trust\" is given twice, first in line 1\n" },
	{ "a map for texts", "trust: {proof: none, from: {a: b}}\n",
	  "f:1:28: from must be texts, not a map of keys\n" },
	{ "an empty list", "trust: {proof: none, from: []}\n",
	  "f:1:28: from is an empty list: leave the key out, or name "
	  "something\n" },
	{ "a value for a section", PROOF "git: /srv/linux.git\n",
	  "f:2:6: git must be a map of keys, not a single value\n" },
	{ "a map for routes", PROOF "routes: {to: c}\n",
	  "f:2:9: routes must be a list, not a map of keys\n" },

	/* values */
	{ "bool", PROOF "send: yes\n",
	  "f:2:7: send must be true or false, not \"yes\"\n" },
	{ "count", PROOF "reload_limit: 200\n",
	  "f:2:15: reload_limit must be a whole number from 0 to 100, not "
	  "\"200\"\n" },
	{ "span", PROOF "keep: 90 days\n",
	  "f:2:7: keep must be a span such as 90d, 8h, 5m or 30s, not \"90 "
	  "days\"\n" },
	{ "word", PROOF "regzbot: maybe\n",
	  "f:2:10: regzbot must be off, print or send, not \"maybe\"\n" },
	{ "word, misspelt", PROOF "channels: {c: {type: matermost}}\n",
	  "f:2:22: type is \"matermost\"; did you mean \"mattermost\"?\n" },
	{ "relative path", PROOF "state: state.db\n",
	  "f:2:8: state must be an absolute path (/...)\n" },
	{ "ping by http", PROOF "ping_url: http://h/\n",
	  "f:2:11: ping_url must be https\n" },
	{ "number", PROOF CH "routes: [{match: {min_percent: -5}, to: c}]\n",
	  "f:3:32: min_percent must be a number such as 5 or 2.5, not "
	  "\"-5\"\n" },
	{ "evidence", PROOF CH "routes: [{match: {evidence: [A, E]}, to: c}]\n",
	  "f:3:33: evidence is \"E\"; did you mean \"A\"?\n" },

	/* mailboxes */
	{ "mailbox without a url", PROOF "mailboxes: {m: {auth: anonymous}}\n",
	  "f:2:13: url is missing\n" },
	{ "mailbox of another scheme",
	  PROOF "mailboxes: {m: {auth: anonymous, url: https://h/x}}\n",
	  "f:2:39: url must be a URL of imaps or imap, as imaps://host/\n" },
	{ "mailbox url with a password",
	  PROOF "mailboxes: {m: {auth: anonymous, url: imaps://u:pw@h/x}}\n",
	  "f:2:39: url has a password inside: secrets come from files, take it "
	  "out of the URL\n" },
	{ "mailbox without a user",
	  PROOF "mailboxes: {m: {password_command: x, url: imaps://h/x}}\n",
	  "f:2:43: url must name the user: imaps://USER@h/...\n" },
	{ "mailbox without a password",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x}}\n",
	  "f:2:13: auth login needs password_file or password_command\n" },
	{ "mailbox with two passwords",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x, password_command: a, "
		"password_file: 'credential:x'}}\n",
	  "f:2:13: auth login needs password_file or password_command, not "
	  "both\n" },
	{ "anonymous with a password",
	  PROOF "mailboxes: {m: {url: imaps://h/x, auth: anonymous, "
		"password_command: a}}\n",
	  "f:2:41: auth anonymous has no password\n" },
	{ "xoauth2 without a token",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x, auth: xoauth2}}\n",
	  "f:2:43: auth xoauth2 needs token_command\n" },
	{ "token without xoauth2",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x, token_command: a, "
		"password_command: b}}\n",
	  "f:2:13: token_command is for auth xoauth2 only\n" },
	{ "insecure imaps",
	  PROOF "mailboxes: {m: {url: imaps://h/x, auth: anonymous, "
		"insecure: true}}\n",
	  "f:2:62: insecure is for imap:// only: imaps always checks the "
	  "certificate (ca_file names your own authority)\n" },
	{ "port",
	  PROOF "mailboxes: {m: {auth: anonymous, "
		"url: 'imaps://h:70000/x'}}\n",
	  "f:2:39: url has a port that is none\n" },
	{ "folder",
	  PROOF "mailboxes: {m: {auth: anonymous, "
		"url: imaps://h/a%0ab}}\n",
	  "f:2:39: url has a %XX that is none, or stands for a control "
	  "character\n" },
	{ "poll",
	  PROOF "mailboxes: {m: {auth: anonymous, url: imaps://h/, "
		"poll: 0}}\n",
	  "f:2:57: poll must not be 0\n" },
	{ "done",
	  PROOF "mailboxes: {m: {auth: anonymous, url: imaps://h/, "
		"done: delete}}\n",
	  "f:2:57: done must be nothing, seen or move:FOLDER, not "
	  "\"delete\"\n" },
	{ "tell_since",
	  PROOF "mailboxes: {m: {auth: anonymous, "
		"url: imaps://h/, tell_since: soon}}\n",
	  "f:2:63: tell_since must be a date such as 2024-10-16 or "
	  "2024-10-16T15:57:00Z, not \"soon\"\n" },
	{ "ca_file",
	  PROOF "mailboxes: {m: {auth: anonymous, url: imaps://h/, "
		"ca_file: /nowhere/ca.pem}}\n",
	  "f:2:60: ca_file names /nowhere/ca.pem: No such file or "
	  "directory\n" },
	{ "secret in the file itself",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x, "
		"password_file: hunter2}}\n",
	  "f:2:52: password_file must be an absolute path (/...) or "
	  "credential:NAME; a secret itself never stands in this file\n" },
	{ "secret that is missing",
	  PROOF "mailboxes: {m: {url: imaps://u@h/x, "
		"password_file: /nowhere/s}}\n",
	  "f:2:52: password_file names /nowhere/s: No such file or "
	  "directory\n" },

	/* trust */
	{ "proof without its server", "trust: {proof: [dkim, authres]}\n",
	  "f:1:16: proof authres needs authserv_id\n" },
	{ "proof twice", "trust: {proof: [none, none]}\n",
	  "f:1:23: proof has \"none\" twice\n" },
	{ "domain", "trust: {proof: none, dkim: 'intel'}\n",
	  "f:1:28: dkim must be a domain, not \"intel\"\n" },
	{ "robot's address", "trust: {proof: none, from: lkp}\n",
	  "f:1:28: from must be a mail address, not \"lkp\"\n" },

	/* git, smtp */
	{ "git without a path", PROOF "git: {merged: [origin/master]}\n",
	  "f:2:1: path is missing\n" },
	{ "git with a table that is not there",
	  PROOF "git: {path: /srv/x.git, trees: /nowhere}\n",
	  "f:2:32: trees names /nowhere: No such file or directory\n" },
	{ "relay without url and from", PROOF "smtp: {insecure: true}\n",
	  "f:2:1: url is missing\nf:2:1: from is missing\n" },
	{ "relay's from", PROOF "smtp: {url: smtp://h, from: bot}\n",
	  "f:2:29: from must be \"Name <address>\" or an address: \"bot\" is "
	  "not a mail address\n" },
	{ "relay with a path", PROOF "smtp: {url: smtp://h/x, from: a@b.c}\n",
	  "f:2:13: url of a relay has no path\n" },
	{ "user without a password",
	  PROOF "smtp: {url: smtp://h, from: a@b.c, user: u}\n",
	  "f:2:42: a user needs password_file\n" },
	{ "user twice",
	  PROOF "smtp: {url: smtp://u@h, from: a@b.c, user: u, "
		"password_file: 'credential:x'}\n",
	  "f:2:44: user stands in url as well\n" },

	/* channels */
	{ "channel without a type", PROOF "channels: {c: {to: a@b.c}}\n",
	  "f:2:12: type is missing\n" },
	{ "mail without an address", PROOF SMTP "channels: {c: {type: mail}}\n",
	  "f:3:12: a mail channel needs to\n" },
	{ "mail without a relay",
	  PROOF "channels: {c: {type: mail, to: a@b.c}}\n",
	  "f:2:12: a mail channel needs smtp: (url and from)\n" },
	{ "mail to nobody we know",
	  PROOF SMTP "channels: {c: {type: mail, to: [a@b.c, '@autor', x]}}\n",
	  "f:3:40: to: \"@autor\" is none of @author, @maintainers, "
	  "@committer, @reviewers or @owner\n"
	  "f:3:50: to: \"x\" is not a mail address\n" },
	{ "mail to the author without proof",
	  PROOF SMTP "channels: {c: {type: mail, to: '@author'}}\n",
	  "f:3:32: to: @author needs a real proof; \"proof: none\" is enough "
	  "only for addresses of your own\n" },
	{ "mail to a list",
	  PROOF SMTP "channels: {c: {type: mail, to: linux-mm@kvack.org}}\n",
	  "f:3:32: to: linux-mm@kvack.org is a mailing list: ask there first, "
	  "then say list_consent: true\n" },
	{ "mail to a list without proof",
	  PROOF SMTP "channels: {c: {type: mail, to: linux-mm@kvack.org, "
		     "list_consent: true}}\n",
	  "f:3:66: mail to a list needs a real proof; \"proof: none\" is "
	  "enough only for addresses of your own\n" },
	{ "mail with a url",
	  PROOF SMTP "channels: {c: {type: mail, to: a@b.c, "
		     "url: https://h/}}\n",
	  "f:3:39: a mail channel has no use for url\n" },
	{ "allow",
	  PROOF SMTP "channels: {c: {type: mail, to: a@b.c, "
		     "allow: example.org}}\n",
	  "f:3:46: allow must be an address or a glob such as "
	  "\"*@example.org\", not \"example.org\"\n" },
	{ "slack without a way", PROOF "channels: {c: {type: slack}}\n",
	  "f:2:12: a slack channel needs url or url_file (a webhook), or "
	  "token_file with to (a bot)\n" },
	{ "slack's bot without a room",
	  PROOF "channels: {c: {type: slack, token_file: 'credential:x'}}\n",
	  "f:2:12: a slack channel needs to\n" },
	{ "slack's webhook with a room",
	  PROOF "channels: {c: {type: slack, url_file: 'credential:x', "
		"to: C1}}\n",
	  "f:2:59: a slack webhook knows its room: to is for a bot with "
	  "token_file\n" },
	{ "webhook without a url", PROOF "channels: {c: {type: webhook}}\n",
	  "f:2:12: a webhook channel needs url or url_file\n" },
	{ "webhook by http",
	  PROOF "channels: {c: {type: webhook, url: http://h/}}\n",
	  "f:2:36: url is plain http, which anyone on the way can read: use "
	  "https, or say insecure: true\n" },
	{ "url and url_file",
	  PROOF "channels: {c: {type: webhook, url: https://h/, "
		"url_file: 'credential:x'}}\n",
	  "f:2:58: url and url_file: one of them, not both\n" },
	{ "url of another service",
	  PROOF "channels: {c: {type: mattermost, "
		"url: https://hooks.slack.com/services/T}}\n",
	  "f:2:39: url belongs to another service (slack), not to "
	  "mattermost\n" },
	{ "file without a path", PROOF "channels: {c: {type: file}}\n",
	  "f:2:12: a file channel needs path\n" },
	{ "digest", PROOF "channels: {c: {type: stdout, digest: weekly 8}}\n",
	  "f:2:38: digest must be off, \"daily 08:00\" or \"weekly mon 08:00\" "
	  "(UTC), not \"weekly 8\"\n" },
	{ "hours", PROOF "channels: {c: {type: stdout, hours: nine to five}}\n",
	  "f:2:37: hours must be hours such as \"mon-fri 08:00-18:00 "
	  "Europe/Berlin\", not \"nine to five\"\n" },
	{ "time zone",
	  PROOF "channels: {c: {type: stdout, hours: 08:00-18:00 Mars/X}}\n",
	  "f:2:37: hours names the time zone \"Mars/X\", which is not in "
	  "/usr/share/zoneinfo\n" },
	{ "max_per_hour",
	  PROOF "channels: {c: {type: stdout, "
		"max_per_hour: 0}}\n",
	  "f:2:44: max_per_hour must be a whole number from 1 to 3600, not "
	  "\"0\"\n" },

	/* who names a channel */
	{ "operator", PROOF CH "operator: d\n",
	  "f:3:11: operator names the channel \"d\", which does not exist; "
	  "did you mean \"c\"?\n" },
	{ "route to nowhere", PROOF "routes: [{to: perf-chat}]\n",
	  "f:2:15: to names the channel \"perf-chat\", which does not "
	  "exist\n" },
	{ "route without a target", PROOF "routes:\n  - continue: true\n",
	  "f:3:5: to is missing\n" },

	/* all at once, in the order of the file */
	{ "many",
	  "sent: true\nkeep: x\n" PROOF "routes: [{to: a}, {}]\n"
	  "regzbot: x\n",
	  "f:1:1: unknown key \"sent\" in the file; did you mean \"send\"?\n"
	  "f:2:7: keep must be a span such as 90d, 8h, 5m or 30s, not \"x\"\n"
	  "f:4:15: to names the channel \"a\", which does not exist\n"
	  "f:4:19: to is missing\n"
	  "f:5:10: regzbot must be off, print or send, not \"x\"\n" },
};

static void join(const struct config_errors *e, struct buf *ret)
{
	buf_reset(ret);
	for (size_t i = 0; i < e->n; i++)
		buf_printf(ret, "%s\n", e->line[i].text);
}

static void finds_mistake(void **state)
{
	const struct mistake *m = *state;
	struct config_errors errors;
	struct config *c = NULL;
	struct buf got;
	struct err err;

	buf_init(&got);
	config_errors_init(&errors);
	assert_int_equal(config_parse("f", guard_copy(m->yaml), true, &c,
				      &errors, NULL, &err),
			 PH_FATAL);
	assert_null(c);
	assert_int_equal(err.exit_code, EX_CONFIG);
	join(&errors, &got);
	assert_string_equal(buf_str(&got), m->want);
	config_errors_release(&errors);
	buf_release(&got);
}

static struct warning {
	const char *name, *routes, *want;
} warnings[] = {
	{ "nothing to warn of",
	  "  - {match: {verdict: regression}, to: c}\n"
	  "  - {to: c}\n",
	  "" },
	{ "after all is taken",
	  "  - {to: c}\n"
	  "  - {match: {verdict: regression}, to: c}\n",
	  "f:5:5: this route can never match: the one in line 4 takes all of "
	  "it first\n" },
	{ "after all is taken, but it goes on",
	  "  - {to: c, continue: true}\n"
	  "  - {match: {verdict: regression}, to: c}\n",
	  "" },
	{ "a narrower one below",
	  "  - {match: {min_percent: 5, tree: 'linux*'}, to: c}\n"
	  "  - {match: {min_percent: 7, tree: linux-next, host: x}, to: c}\n"
	  "  - {match: {min_percent: 4, tree: linux-next}, to: c}\n",
	  "f:5:5: this route can never match: the one in line 4 takes all of "
	  "it first\n" },
	{ "two values at once",
	  "  - {match: {verdict: regression, all: [{verdict: improvement}]}, "
	  "to: c}\n",
	  "f:4:5: this route can never match: it asks for two values of "
	  "verdict at once\n" },
	{ "a glob that fits",
	  "  - {match: {host: 'lkp-*', all: [{host: lkp-icl}]}, to: c}\n", "" },
	{ "two of many",
	  "  - {match: {list: a@b.c, all: [{list: d@e.f}]}, to: c}\n", "" },
	{ "a regression too good",
	  "  - {match: {verdict: regression, too_good: true}, to: c}\n",
	  "f:4:5: this route can never match: only an improvement is too "
	  "good\n" },
	{ "not takes all",
	  "  - {match: {evidence: A, not: {evidence: [A, B]}}, to: c}\n",
	  "f:4:5: this route can never match: its not takes away all that the "
	  "rest leaves\n" },
	{ "empty not", "  - {match: {not: {}}, to: c}\n",
	  "f:4:5: this route can never match: an empty not holds for "
	  "nothing\n" },
	{ "any without a way out",
	  "  - {match: {tree: a, any: [{tree: b}, {tree: c}]}, to: c}\n",
	  "f:4:5: this route can never match: it asks for two values of tree "
	  "at once\n" },
	{ "any with one",
	  "  - {match: {tree: a, any: [{tree: b}, {tree: a}]}, to: c}\n", "" },
};

static void warns(void **state)
{
	const struct warning *w = *state;
	struct config_errors errors, warned;
	struct config *c = NULL;
	struct buf yaml, got;
	struct err err;

	buf_init(&yaml);
	buf_init(&got);
	config_errors_init(&errors);
	config_errors_init(&warned);
	buf_printf(&yaml, PROOF CH "routes:\n%s", w->routes);
	assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c, &errors,
				      &warned, &err),
			 PH_OK);
	join(&warned, &got);
	assert_string_equal(buf_str(&got), w->want);
	config_free(c);
	config_errors_release(&errors);
	config_errors_release(&warned);
	buf_release(&yaml);
	buf_release(&got);
}

/* A folder with the files that a configuration names. */
static char dir[] = "/tmp/perfherald-config-XXXXXX";

static const char *put(const char *name, const char *text, mode_t mode)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static const char whole[] =
	"state: %1$s/state.db\n"
	"send: false\n"
	"operator: ops\n"
	"keep: 2w\n"
	"mailboxes:\n"
	"  lore:\n"
	"    url: imaps://lore.kernel.org/dev.linux.lists.oe-lkp.*\n"
	"    auth: anonymous\n"
	"    since: 90d\n"
	"  work:\n"
	"    url: "
	"imap://perf-bot%%40x.org@mail.example.org:1143/Reports%%20in\n"
	"    password_file: %1$s/imap.secret\n"
	"    done: move:Old\n"
	"    tell_since: 2024-10-16\n"
	"trust:\n"
	"  proof: none\n"
	"  dkim: [intel.com, example.org]\n"
	"git: {path: /srv/linux.git, merged: origin/master}\n"
	"smtp:\n"
	"  url: smtps://mail.example.org\n"
	"  from: perfherald <perf-bot@example.org>\n"
	"  password_file: %1$s/smtp.secret\n"
	"channels:\n"
	"  perf-chat: {type: slack, url_file: %1$s/slack.url, "
	"max_per_hour: 7}\n"
	"  mm: {type: mail, to: mm@example.org, digest: weekly tue 08:30, "
	"hours: \"mon-wed,fri 22:00-06:00 Europe/Berlin\"}\n"
	"  ops: {type: mail, to: [root@example.org, a@example.org], "
	"allow: \"*@example.org\", only_if_new: true}\n"
	"routes:\n"
	"  - match: {verdict: regression, min_percent: 5%%, "
	"testcase: [will-it-scale, vm-scalability]}\n"
	"    to: [mm, perf-chat]\n"
	"    continue: true\n"
	"  - match: {list: linux-mm@kvack.org, not: {evidence: [D]}}\n"
	"    to: mm\n";

static struct config *read_whole(const char *format)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct err err;
	struct buf yaml;

	put("imap.secret", "one\n", 0600);
	put("smtp.secret", "two\n", 0400);
	put("slack.url", "https://hooks.slack.com/services/T/B/x\n", 0600);
	buf_init(&yaml);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(&yaml, format, dir);
#pragma GCC diagnostic pop
	config_errors_init(&errors);
	if (config_read(put("whole.yaml", buf_str(&yaml), 0644), CONFIG_TO_WORK,
			&c, &errors, NULL, &err) != PH_OK)
		for (size_t i = 0; i < errors.n; i++)
			print_error("%s\n", errors.line[i].text);
	assert_non_null(c);
	config_errors_release(&errors);
	buf_release(&yaml);
	return c;
}

static void reads_a_whole_file(void **state)
{
	struct config *c = read_whole(whole);
	const struct config_mailbox *lore = config_mailbox(c, "lore");
	const struct config_mailbox *work = config_mailbox(c, "work");

	(void)state;
	assert_false(c->send);
	assert_string_equal(c->operator_->name, "ops");
	assert_int_equal(c->keep, 14 * 86400);
	assert_int_equal(c->reload_limit, 20);
	assert_int_equal(c->n_mailboxes, 2);
	assert_string_equal(lore->folder, "dev.linux.lists.oe-lkp.*");
	assert_int_equal(lore->auth, AUTH_ANONYMOUS);
	assert_int_equal(lore->since, 90 * 86400);
	assert_int_equal(lore->poll, 300);
	assert_int_equal(lore->url.port, 993);
	assert_false(lore->has_tell_since);
	assert_int_equal(lore->mark.line, 6);
	assert_int_equal(lore->mark.column, 3);
	assert_string_equal(work->url.user, "perf-bot@x.org");
	assert_string_equal(work->url.host, "mail.example.org");
	assert_string_equal(work->url.scheme, "imap");
	assert_int_equal(work->url.port, 1143);
	assert_string_equal(work->folder, "Reports in");
	assert_int_equal(work->done, DONE_MOVE);
	assert_string_equal(work->done_folder, "Old");
	assert_int_equal(work->tell_since, 1729036800);
	assert_true(work->has_tell_since);
	config_free(c);
}

static void reads_the_rest_of_it(void **state)
{
	struct config *c = read_whole(whole);
	const struct config_channel *mm = config_channel(c, "mm");

	(void)state;
	assert_int_equal(c->trust.n_proof, 1);
	assert_int_equal(c->trust.proof[0], PROOF_NONE);
	assert_int_equal(c->trust.dkim.n, 2);
	assert_int_equal(c->trust.from.n, 4);
	assert_string_equal(c->trust.from.item[3], "rong.a.chen@intel.com");
	assert_true(c->git.maintainers);
	assert_int_equal(c->git.merged.n, 1);
	assert_string_equal(c->smtp.from_name, "perfherald");
	assert_string_equal(c->smtp.from_address, "perf-bot@example.org");
	assert_string_equal(c->smtp.envelope_from, "perf-bot@example.org");
	assert_string_equal(c->smtp.user, "perf-bot@example.org");
	assert_int_equal(config_channel(c, "perf-chat")->max_per_hour, 7);
	assert_int_equal(mm->digest.every, DIGEST_WEEKLY);
	assert_int_equal(mm->digest.weekday, 1);
	assert_int_equal(mm->digest.minute, 8 * 60 + 30);
	assert_int_equal(mm->hours.days, 0x17);
	assert_int_equal(mm->hours.from, 22 * 60);
	assert_int_equal(mm->hours.to, 6 * 60);
	assert_string_equal(mm->hours.zone, "Europe/Berlin");
	assert_null(config_channel(c, "nobody"));
	assert_int_equal(c->n_routes, 2);
	assert_ptr_equal(c->routes[0].to[0], mm);
	assert_true(c->routes[0].go_on);
	assert_true(c->routes[0].match.has_min_percent);
	assert_float_equal(c->routes[0].match.min_percent, 5, 0);
	assert_int_equal(c->routes[0].match.testcase.n, 2);
	assert_false(c->routes[1].go_on);
	assert_string_equal(c->routes[1].match.not_->evidence.item[0], "D");
	config_free(c);
}

static void nesting_has_a_ceiling(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	(void)state;
	/* file, routes, route, match: four levels stand around the first not */
	for (int deeper = 0; deeper < 2; deeper++) {
		buf_init(&yaml);
		config_errors_init(&errors);
		buf_add_str(&yaml, PROOF CH "routes: [{to: c, match: ");
		for (int i = 0; i < LIMIT_CONFIG_NEST - 4 + deeper; i++)
			buf_add_str(&yaml, "{not: ");
		buf_add_str(&yaml, "{tree: x}");
		for (int i = 0; i < LIMIT_CONFIG_NEST - 4 + deeper; i++)
			buf_add_char(&yaml, '}');
		buf_add_str(&yaml, "}]\n");
		assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c,
					      &errors, NULL, &err),
				 deeper ? PH_FATAL : PH_OK);
		assert_int_equal(errors.n, deeper);
		config_free(c);
		c = NULL;
		if (deeper)
			assert_non_null(strstr(errors.line[0].text,
					       "nested over 16 levels "
					       "(LIMIT_CONFIG_NEST)"));
		config_errors_release(&errors);
		buf_release(&yaml);
	}
}

static void mistakes_have_a_ceiling(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	(void)state;
	buf_init(&yaml);
	config_errors_init(&errors);
	buf_add_str(&yaml, PROOF);
	for (int i = 0; i < LIMIT_CONFIG_ERRORS + 3; i++)
		buf_printf(&yaml, "unheard-of-%d: 1\n", i);
	assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c, &errors,
				      NULL, &err),
			 PH_FATAL);
	assert_int_equal(errors.n, LIMIT_CONFIG_ERRORS);
	assert_int_equal(errors.more, 3);
	assert_string_equal(err.text, "f: 53 mistakes");
	config_errors_release(&errors);
	buf_release(&yaml);
}

static enum status read_size(size_t size, struct err *err)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	enum status s;

	buf_init(&yaml);
	config_errors_init(&errors);
	buf_add_str(&yaml, PROOF "#");
	while (yaml.len < size - 1)
		buf_add_char(&yaml, 'x');
	buf_add_char(&yaml, '\n');
	s = config_read(put("big.yaml", buf_str(&yaml), 0644), CONFIG_TO_WORK,
			&c, &errors, NULL, err);
	config_free(c);
	config_errors_release(&errors);
	buf_release(&yaml);
	return s;
}

static void size_has_a_ceiling(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_size(LIMIT_CONFIG, &err), PH_OK);
	assert_int_equal(read_size(LIMIT_CONFIG + 1, &err), PH_FATAL);
	assert_int_equal(err.exit_code, EX_CONFIG);
	assert_non_null(strstr(err.text, "(LIMIT_CONFIG)"));
}

static void a_missing_file_is_66(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct err err;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(config_read("/nowhere/x.yaml", CONFIG_TO_WORK, &c,
				     &errors, NULL, &err),
			 PH_FATAL);
	assert_int_equal(err.exit_code, EX_NOINPUT);
	assert_string_equal(err.text,
			    "/nowhere/x.yaml: No such file or directory");
	config_errors_release(&errors);
}

/* The one mistake of a file in which a slack channel is all. */
static void slack_mistake(const char *keys, mode_t mode, char *ret, size_t size)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	buf_init(&yaml);
	config_errors_init(&errors);
	buf_printf(&yaml, PROOF "channels: {c: {type: slack, %s}}\n", keys);
	config_read(put("s.yaml", buf_str(&yaml), mode), CONFIG_TO_WORK, &c,
		    &errors, NULL, &err);
	snprintf(ret, size, "%s", errors.n ? errors.line[0].text : "");
	config_free(c);
	config_errors_release(&errors);
	buf_release(&yaml);
}

static void a_webhook_url_is_a_secret(void **state)
{
	static const char keys[] = "url: https://hooks.slack.com/services/T";
	char got[512];

	(void)state;
	slack_mistake(keys, 0600, got, sizeof(got));
	assert_string_equal(got, "");
	slack_mistake(keys, 0640, got, sizeof(got));
	assert_non_null(strstr(got, "/s.yaml:2:34: url is a secret, and others "
				    "can read this file: use url_file, or "
				    "chmod 600 /"));
}

static void a_url_file_is_read_and_not_shown(void **state)
{
	char got[512], keys[256];

	(void)state;
	snprintf(keys, sizeof(keys), "url_file: %s",
		 put("url", "http://hooks.slack.com/sesame\n", 0600));
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, ":2:39: url_file is plain http"));
	assert_null(strstr(got, "sesame"));
	put("url", "sesame\n", 0600);
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, ":2:39: url_file must be a URL of https"));
	assert_null(strstr(got, "sesame"));
	put("url", "https://hooks.slack.com/sesame\n", 0640);
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, "others can read or change this secret "
				    "(mode 640): chmod 600"));
}

static enum status read_secret_key(enum config_use use, const char *path,
				   struct config_errors *errors)
{
	struct config *c = NULL;
	struct buf yaml;
	struct err err;
	enum status s;

	buf_init(&yaml);
	buf_printf(&yaml,
		   "mailboxes: {m: {url: imaps://a@h/INBOX, ca_file: %s,"
		   " password_file: %s}}\n"
		   "trust: {dkim_keys: %s}\n"
		   "git: {path: /nowhere, trees: %s}\n"
		   "channels: {c: {type: matrix, url_file: %s, token_file: %s,"
		   " to: r}, w: {type: webhook, url: https://h,"
		   " secret_file: %s}}\n",
		   path, path, path, path, path, path, path);
	s = config_read(put("k.yaml", buf_str(&yaml), 0600), use, &c, errors,
			NULL, &err);
	buf_release(&yaml);
	config_free(c);
	return s;
}

static void an_empty_secret_is_a_mistake(void **state)
{
	struct config_errors errors;
	size_t n = 0;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_WORK, put("e", "", 0600),
					 &errors),
			 PH_FATAL);
	for (size_t i = 0; i < errors.n; i++)
		n += strstr(errors.line[i].text, "/e: it is empty") != NULL;
	assert_int_equal(n, 4);
	config_errors_release(&errors);
}

static void who_only_asks_needs_no_secret(void **state)
{
	struct config_errors errors;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_WORK, "/nowhere/x", &errors),
			 PH_FATAL);
	assert_int_equal(errors.n, 7);
	config_errors_release(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_ASK, "/nowhere/x", &errors),
			 PH_OK);
}

#define N_PLAIN 10

int main(void)
{
	static struct CMUnitTest
		tests[ARRAY_LEN(mistakes) + ARRAY_LEN(warnings) + N_PLAIN] = {
			cmocka_unit_test(reads_a_whole_file),
			cmocka_unit_test(reads_the_rest_of_it),
			cmocka_unit_test(nesting_has_a_ceiling),
			cmocka_unit_test(mistakes_have_a_ceiling),
			cmocka_unit_test(size_has_a_ceiling),
			cmocka_unit_test(a_missing_file_is_66),
			cmocka_unit_test(a_webhook_url_is_a_secret),
			cmocka_unit_test(a_url_file_is_read_and_not_shown),
			cmocka_unit_test(an_empty_secret_is_a_mistake),
			cmocka_unit_test(who_only_asks_needs_no_secret),
		};
	size_t n = N_PLAIN;

	for (size_t i = 0; i < ARRAY_LEN(mistakes); i++)
		tests[n++] = (struct CMUnitTest){
			.name = mistakes[i].name,
			.test_func = finds_mistake,
			.initial_state = &mistakes[i],
		};
	for (size_t i = 0; i < ARRAY_LEN(warnings); i++)
		tests[n++] = (struct CMUnitTest){
			.name = warnings[i].name,
			.test_func = warns,
			.initial_state = &warnings[i],
		};
	unsetenv("CREDENTIALS_DIRECTORY");
	return _cmocka_run_group_tests("config", tests, n, make_dir,
				       remove_dir);
}
