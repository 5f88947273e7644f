#include "config/keys.h"

#include <assert.h>
#include <string.h>
#include "config/check.h"
#include "ph/config.h"

#define AT(type, member)   .offset = offsetof(struct type, member)
#define ALSO(type, member) .beside = offsetof(struct type, member)
/* clang-format off */
#define WORDS(...) .words = (const char *const[]){ __VA_ARGS__, NULL }
/* clang-format on */
#define KEYS(array) .keys = (array), .n = ARRAY_LEN(array)

/* The order is that of filling: channels know of trust and smtp, routes and
 * operator know of channels. */

static const struct key mailbox_keys[] = {
	{ "url", KEY_URL, AT(config_mailbox, url), WORDS("imaps", "imap"),
	  .required = true,
	  .help = "where the mail is: imaps://USER@HOST/FOLDER, or imap:// "
		  "with STARTTLS; the folder may be a glob" },
	{ "auth", KEY_WORD, AT(config_mailbox, auth), .usual = "login",
	  WORDS("login", "plain", "xoauth2", "anonymous"),
	  .help = "how to log in" },
	{ "password_file", KEY_SECRET, AT(config_mailbox, password_file),
	  .help = "file whose first line is the password" },
	{ "password_command", KEY_TEXT, AT(config_mailbox, password_command),
	  .help = "command whose first line of output is the password" },
	{ "token_command", KEY_TEXT, AT(config_mailbox, token_command),
	  .help = "command that prints an OAuth access token (auth: xoauth2)" },
	{ "ca_file", KEY_FILE, AT(config_mailbox, ca_file),
	  .help = "certificates to trust instead of the system's" },
	{ "insecure", KEY_BOOL, AT(config_mailbox, insecure), .usual = "false",
	  .help = "allow imap:// without STARTTLS" },
	{ "since", KEY_SPAN, AT(config_mailbox, since), .usual = "30d",
	  .help = "how far back mail is read at the first opening" },
	{ "tell_since", KEY_TIME, AT(config_mailbox, tell_since),
	  ALSO(config_mailbox, has_tell_since),
	  .help = "tell of mail that arrived from this time on; else only of "
		  "what arrives after the first opening" },
	{ "poll", KEY_SPAN, AT(config_mailbox, poll), .usual = "5m", .min = 1,
	  .help = "how often to look where IDLE does not work" },
	{ "connections", KEY_COUNT, AT(config_mailbox, connections),
	  .usual = "1", .min = 1, .max = 8,
	  .help = "connections used to catch up" },
	{ "done", KEY_DONE, AT(config_mailbox, done),
	  ALSO(config_mailbox, done_folder), .usual = "nothing",
	  .help = "what to do on the server with a mail that was read: "
		  "nothing, seen or move:FOLDER" },
	{ "usual_gap", KEY_SPAN, AT(config_mailbox, usual_gap), .usual = "0",
	  .help = "status complains when no report came for so long; 0: "
		  "never" },
};

static const struct section mailbox = {
	"a mailbox",
	sizeof(struct config_mailbox),
	offsetof(struct config_mailbox, mark),
	KEYS(mailbox_keys),
	check_mailbox,
};

static const struct key trust_keys[] = {
	{ "proof", KEY_PROOFS, AT(config_trust, proof),
	  ALSO(config_trust, n_proof), .usual = "dkim",
	  WORDS("dkim", "authres", "none"),
	  .help = "what proves that a mail is the robot's; the first that "
		  "does" },
	{ "dkim", KEY_DOMAINS, AT(config_trust, dkim), .usual = "intel.com",
	  .help = "domains whose signature counts" },
	{ "dkim_keys", KEY_FILE, AT(config_trust, dkim_keys),
	  .help = "file of DKIM keys, for a machine without DNS" },
	{ "from", KEY_ADDRESSES, AT(config_trust, from),
	  .usual = "lkp@intel.com, oliver.sang@intel.com, "
		   "yujie.liu@intel.com, rong.a.chen@intel.com",
	  .help = "the robot's addresses" },
	{ "authserv_id", KEY_TEXT, AT(config_trust, authserv_id),
	  .help = "name that your mail server writes into "
		  "Authentication-Results (proof: authres)" },
};

static const struct section trust = {
	"trust",     sizeof(struct config_trust), NO_MARK, KEYS(trust_keys),
	check_trust,
};

static const struct key git_keys[] = {
	{ "path", KEY_PATH, AT(config_git, path),
	  .help = "a kernel tree, bare or not; it is never written to" },
	{ "merged", KEY_TEXTS, AT(config_git, merged),
	  .help = "branches that count as merged, as origin/master" },
	{ "maintainers", KEY_BOOL, AT(config_git, maintainers), .usual = "true",
	  .help = "read MAINTAINERS of this tree" },
	{ "trees", KEY_PATH, AT(config_git, trees),
	  .help = "folder of lkp-tests' repo/linux: owners and denylists" },
};

static const struct section git = {
	"git", sizeof(struct config_git), NO_MARK, KEYS(git_keys), check_git,
};

static const struct key smtp_keys[] = {
	{ "url", KEY_URL, AT(config_smtp, url), WORDS("smtps", "smtp"),
	  .required = true,
	  .help = "the relay: smtps://HOST, or smtp:// with STARTTLS" },
	{ "from", KEY_PERSON, AT(config_smtp, from), .required = true,
	  .help = "whom notices come from: Name <address>" },
	{ "envelope_from", KEY_ADDRESS, AT(config_smtp, envelope_from),
	  .help = "where bounces go (the address of from)" },
	{ "user", KEY_TEXT, AT(config_smtp, user),
	  .help = "login name (the address of from, where there is a "
		  "password)" },
	{ "password_file", KEY_SECRET, AT(config_smtp, password_file),
	  .help = "file whose first line is the password" },
	{ "ca_file", KEY_FILE, AT(config_smtp, ca_file),
	  .help = "certificates to trust instead of the system's" },
	{ "insecure", KEY_BOOL, AT(config_smtp, insecure), .usual = "false",
	  .help = "allow smtp:// without STARTTLS" },
};

static const struct section smtp = {
	"smtp",
	sizeof(struct config_smtp),
	offsetof(struct config_smtp, mark),
	KEYS(smtp_keys),
	check_smtp,
};

static const struct key channel_keys[] = {
	{ "type", KEY_WORD, AT(config_channel, type), .required = true,
	  .words = channel_type_words,
	  .help = "the service behind this channel" },
	{ "to", KEY_TEXTS, AT(config_channel, to),
	  .help = "mail: addresses, @author, @maintainers, @committer, "
		  "@reviewers, @owner; else rooms or topics of the service" },
	{ "url", KEY_URL_TEXT, AT(config_channel, url), WORDS("https", "http"),
	  .help = "where to post" },
	{ "url_file", KEY_SECRET, AT(config_channel, url_file),
	  .help = "file whose first line is that URL, where it is a secret" },
	{ "token_file", KEY_SECRET, AT(config_channel, token_file),
	  .help = "file whose first line is the bot's token" },
	{ "secret_file", KEY_SECRET, AT(config_channel, secret_file),
	  .help = "file whose first line is the key that signs a webhook "
		  "(whsec_...)" },
	{ "path", KEY_PATH, AT(config_channel, path),
	  .help = "type file: where notices are added" },
	{ "allow", KEY_ADDRESS_GLOBS, AT(config_channel, allow),
	  .help = "only addresses that fit one of these globs get mail" },
	{ "list_consent", KEY_BOOL, AT(config_channel, list_consent),
	  .usual = "false",
	  .help = "the mailing lists in to have agreed to get notices" },
	{ "only_if_new", KEY_BOOL, AT(config_channel, only_if_new),
	  .usual = "false",
	  .help = "spare people whom the robot has mailed, unless the notice "
		  "adds something" },
	{ "digest", KEY_DIGEST, AT(config_channel, digest), .usual = "off",
	  .help = "collect: \"daily 08:00\" or \"weekly mon 08:00\" (UTC)" },
	{ "max_per_hour", KEY_COUNT, AT(config_channel, max_per_hour),
	  .usual = "30", .min = 1, .max = 3600,
	  .help = "notices above it wait and go out as one digest" },
	{ "hours", KEY_HOURS, AT(config_channel, hours),
	  .help = "when notices may go out: \"mon-fri 08:00-18:00 "
		  "Europe/Berlin\"" },
	{ "embargo", KEY_SPAN, AT(config_channel, embargo), .usual = "0",
	  .help = "how long a notice waits first" },
	{ "group_wait", KEY_SPAN, AT(config_channel, group_wait), .usual = "0",
	  .help = "how long to wait for more reports of the same patch" },
	{ "ca_file", KEY_FILE, AT(config_channel, ca_file),
	  .help = "certificates to trust instead of the system's" },
	{ "insecure", KEY_BOOL, AT(config_channel, insecure), .usual = "false",
	  .help = "allow plain http" },
	{ "subject", KEY_TEXT, AT(config_channel, subject),
	  .help = "template of the subject line" },
	{ "body", KEY_TEMPLATE, AT(config_channel, body),
	  .help = "template of the text" },
};

static const struct section channel = {
	"a channel",
	sizeof(struct config_channel),
	offsetof(struct config_channel, mark),
	KEYS(channel_keys),
	check_channel,
};

static const struct section match;

/* in the order of enum match_key */
static const struct key match_keys[] = {
	{ "tree", KEY_TEXTS, AT(config_match, tree),
	  .help = "the tree in the subject's bracket, as linux-next" },
	{ "branch", KEY_TEXTS, AT(config_match, branch),
	  .help = "the branch in the subject's bracket" },
	{ "label", KEY_TEXTS, AT(config_match, label),
	  .help = "the whole bracket, as linus:master" },
	{ "subsystem", KEY_TEXTS, AT(config_match, subsystem),
	  .help = "the second bracket, as memcg" },
	{ "files", KEY_TEXTS, AT(config_match, files),
	  .help = "a file that the patch touches, as mm/* (needs git)" },
	{ "author", KEY_ADDRESS_GLOBS, AT(config_match, author),
	  .help = "the author's address" },
	{ "list", KEY_ADDRESS_GLOBS, AT(config_match, list),
	  .help = "an address in To or Cc of the report" },
	{ "testcase", KEY_TEXTS, AT(config_match, testcase),
	  .help = "the test, as will-it-scale" },
	{ "metric", KEY_TEXTS, AT(config_match, metric),
	  .help = "the metric, as *.per_process_ops" },
	{ "host", KEY_TEXTS, AT(config_match, host),
	  .help = "the machine, as lkp-icl-*" },
	{ "verdict", KEY_WORDS, AT(config_match, verdict),
	  WORDS("improvement", "regression"), .help = "the robot's word" },
	{ "min_percent", KEY_NUMBER, AT(config_match, min_percent),
	  ALSO(config_match, has_min_percent),
	  .help = "at least so many per cent, either way" },
	{ "min_effect", KEY_NUMBER, AT(config_match, min_effect),
	  ALSO(config_match, has_min_effect),
	  .help = "at least so many times the run-to-run noise" },
	{ "evidence", KEY_WORDS, AT(config_match, evidence),
	  WORDS("A", "B", "C", "D"), .help = "the grade" },
	{ "too_good", KEY_FLAG, AT(config_match, too_good),
	  ALSO(config_match, has_too_good),
	  .help = "whether the gain looks too good to be true" },
	{ "all", KEY_POINTED_ROW, AT(config_match, all),
	  ALSO(config_match, n_all), .below = &match,
	  .help = "matchers that must all hold" },
	{ "any", KEY_POINTED_ROW, AT(config_match, any),
	  ALSO(config_match, n_any), .below = &match,
	  .help = "matchers of which one must hold" },
	{ "not", KEY_POINTED, AT(config_match, not_), .below = &match,
	  .help = "a matcher that must not hold" },
};

static const struct section match = {
	"a match",
	sizeof(struct config_match),
	offsetof(struct config_match, mark),
	KEYS(match_keys),
	check_match,
};

static_assert(ARRAY_LEN(match_keys) == MATCH_KEYS, "a row for every key");

const char *match_key_name(enum match_key key)
{
	assert(key < MATCH_KEYS);
	return match_keys[key].name;
}

void check_match(struct fill *f, const struct node *node, void *section)
{
	struct config_match *m = section;

	(void)f;
	for (int key = 0; key < MATCH_KEYS; key++) {
		const struct node *n = node_get(node, match_keys[key].name);

		if (n)
			m->where[key] = n->key_mark;
	}
}

static const struct key route_keys[] = {
	{ "match", KEY_SECTION, AT(config_route, match), .below = &match,
	  .help = "which patches take this route; absent: all" },
	{ "to", KEY_CHANNELS, AT(config_route, to), ALSO(config_route, n_to),
	  .required = true, .help = "the channels that are told" },
	{ "continue", KEY_BOOL, AT(config_route, go_on), .usual = "false",
	  .help = "look at the routes below as well" },
};

static const struct section route = {
	"a route",
	sizeof(struct config_route),
	offsetof(struct config_route, mark),
	KEYS(route_keys),
	NULL,
};

static const struct key top_keys[] = {
	{ "state", KEY_PATH, AT(config, state),
	  .usual = "/var/lib/perfherald/state.db", .help = "the state file" },
	{ "send", KEY_BOOL, AT(config, send), .usual = "false",
	  .help = "false: a dry run, notices are held" },
	{ "archive", KEY_PATH, AT(config, archive),
	  .help = "a Maildir that gets every report as it came" },
	{ "keep", KEY_SPAN, AT(config, keep), .usual = "forever",
	  WORDS("forever"),
	  .help = "how long rows and text of reports are kept" },
	{ "regzbot", KEY_WORD, AT(config, regzbot), .usual = "off",
	  WORDS("off", "print", "send"),
	  .help = "lines for the kernel's regression tracker" },
	{ "reload_limit", KEY_COUNT, AT(config, reload_limit), .usual = "20",
	  .min = 0, .max = 100,
	  .help = "refuse a reload that changes the targets of more per cent "
		  "of stored reports" },
	{ "status_file", KEY_PATH, AT(config, status_file),
	  .help = "file that watch keeps for monitoring" },
	{ "ping_url", KEY_URL_TEXT, AT(config, ping_url),
	  WORDS("https", "http"),
	  .help = "URL fetched as long as all goes well" },
	{ "mailboxes", KEY_NAMED, AT(config, mailboxes),
	  ALSO(config, n_mailboxes), .below = &mailbox,
	  .help = "where reports come from, by name" },
	{ "trust", KEY_SECTION, AT(config, trust), .below = &trust,
	  .help = "what proves that a mail is the robot's" },
	{ "git", KEY_SECTION, AT(config, git), .below = &git,
	  .help = "a kernel tree: authors, patch ids, files, MAINTAINERS" },
	{ "smtp", KEY_SECTION, AT(config, smtp), ALSO(config, has_smtp),
	  .below = &smtp, .help = "the relay for mail channels" },
	{ "channels", KEY_NAMED, AT(config, channels), ALSO(config, n_channels),
	  .below = &channel, .help = "the ways out, by name" },
	{ "operator", KEY_CHANNEL, AT(config, operator_),
	  .help = "the channel that hears of trouble" },
	{ "routes", KEY_ROW, AT(config, routes), ALSO(config, n_routes),
	  .below = &route,
	  .help = "who is told of what; the first that matches ends the "
		  "search" },
};

const struct section section_top = {
	"the file", sizeof(struct config), NO_MARK, KEYS(top_keys), check_top,
};

const struct key *section_key(const struct section *section, const char *name)
{
	for (size_t i = 0; i < section->n; i++)
		if (!strcmp(section->keys[i].name, name))
			return &section->keys[i];
	return NULL;
}

bool key_is_list(enum key_type type)
{
	return type >= KEY_TEXTS && type <= KEY_CHANNELS;
}
