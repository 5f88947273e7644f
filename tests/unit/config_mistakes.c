/*
 * Mistakes in a configuration: a row each, with the very words that a person
 * gets to see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sysexits.h>
#include "ph/config.h"
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
	{ "a map in a list", "trust: {proof: none, from: [{a: b}]}\n",
	  "f:1:29: from must be texts, not a map of keys\n" },
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
	{ "status over the state",
	  PROOF "state: /s/a.db\nstatus_file: /s/a.db\n",
	  "f:3:14: status_file is a file of the state, which this would "
	  "overwrite\n" },
	{ "status over a part of the state",
	  PROOF "state: /s/a.db\nstatus_file: /s/a.db-wal\n",
	  "f:3:14: status_file is a file of the state, which this would "
	  "overwrite\n" },
	{ "a channel over the state",
	  PROOF "state: /s/a.db\n"
		"channels: {c: {type: file, path: /s/a.db}}\n",
	  "f:3:12: path of channel \"c\" is a file of the state, which this "
	  "would overwrite\n" },
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

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(mistakes)];

	for (size_t i = 0; i < ARRAY_LEN(mistakes); i++)
		tests[i] = (struct CMUnitTest){ .name = mistakes[i].name,
						.test_func = finds_mistake,
						.initial_state = &mistakes[i] };
	unsetenv("CREDENTIALS_DIRECTORY");
	return cmocka_run_group_tests_name("config_mistakes", tests, NULL,
					   NULL);
}
