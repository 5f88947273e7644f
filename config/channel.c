/*
 * channel - what each type of channel must have, may have and has no use for.
 * A new service is a row here, a word in enum channel_type and its file in
 * notify/.
 */
#include <assert.h>
#include <stdlib.h>
#include "config/check.h"
#include "config/secret.h"
#include "config/value.h"
#include "ph/addr.h"

enum {
	URL = 1,
	TOKEN = 2,
	SECRET = 4,
	TO = 8,
	PATH = 16,
	PEOPLE = 32,
	NET = 64,
};

struct kind {
	unsigned must, may;
	bool either;	  /* url, or token_file with to */
	bool secret_url;  /* whoever knows the URL can post */
	const char *host; /* a glob: this service alone lives there */
};

static const struct kind kinds[CHANNEL_TYPES] = {
	[CHANNEL_MAIL] = { TO, PEOPLE, 0, 0, NULL },
	[CHANNEL_SLACK] = { 0, URL | TOKEN | TO | NET, true, true,
			    "*slack.com" },
	[CHANNEL_MATTERMOST] = { URL, TOKEN | TO | NET, false, true, NULL },
	[CHANNEL_DISCORD] = { URL, NET, false, true, "*discord*.com" },
	[CHANNEL_MATRIX] = { URL | TOKEN | TO, NET, 0, 0, NULL },
	[CHANNEL_ZULIP] = { URL | TOKEN | TO, NET, 0, 0, "*.zulipchat.com" },
	[CHANNEL_GOOGLECHAT] = { URL, NET, false, true, "chat.googleapis.com" },
	[CHANNEL_TEAMS] = { URL, NET, false, true, "*.logic.azure.com" },
	[CHANNEL_TELEGRAM] = { TOKEN | TO, URL | NET, 0, 0,
			       "api.telegram.org" },
	[CHANNEL_ROCKETCHAT] = { URL, TOKEN | TO | NET, false, true, NULL },
	[CHANNEL_NTFY] = { TO, URL | TOKEN | NET, 0, 0, "ntfy.sh" },
	[CHANNEL_WEBHOOK] = { URL, SECRET | TOKEN | NET, 0, 0, NULL },
	[CHANNEL_ALERTMANAGER] = { URL, TOKEN | NET, 0, 0, NULL },
	[CHANNEL_FILE] = { PATH, 0, 0, 0, NULL },
	[CHANNEL_STDOUT] = { 0, 0, 0, 0, NULL },
};

const char *const channel_type_words[] = {
	"mail",		"slack",      "mattermost", "discord",
	"matrix",	"zulip",      "googlechat", "teams",
	"telegram",	"rocketchat", "ntfy",	    "webhook",
	"alertmanager", "file",	      "stdout",	    NULL,
};
static_assert(ARRAY_LEN(channel_type_words) == CHANNEL_TYPES + 1,
	      "a word for every type");

const char *channel_type_name(enum channel_type type)
{
	assert(type < CHANNEL_TYPES);
	return channel_type_words[type];
}

static const struct {
	const char *key;
	unsigned use;
} uses[] = {
	{ "url", URL },
	{ "url_file", URL },
	{ "token_file", TOKEN },
	{ "secret_file", SECRET },
	{ "to", TO },
	{ "path", PATH },
	{ "allow", PEOPLE },
	{ "list_consent", PEOPLE },
	{ "only_if_new", PEOPLE },
	{ "ca_file", NET },
	{ "insecure", NET },
};

static const struct {
	unsigned use;
	const char *words;
} needs[] = {
	{ URL, "url or url_file" },
	{ TOKEN, "token_file" },
	{ TO, "to" },
	{ PATH, "path" },
};

static unsigned given(const struct node *node)
{
	unsigned set = 0;

	for (size_t i = 0; i < ARRAY_LEN(uses); i++)
		if (node_get(node, uses[i].key))
			set |= uses[i].use;
	return set;
}

static void check_keys(struct fill *f, const struct node *node,
		       const struct kind *kind, const char *type)
{
	unsigned must = kind->must, set = given(node);

	if (set & TOKEN && kind->may & TO)
		must |= TO;
	if (kind->either && !(set & (URL | TOKEN)))
		notes_mistake(f->notes, node->key_mark,
			      "a %s channel needs url or url_file (a webhook), "
			      "or token_file with to (a bot)",
			      type);
	if (kind->either && set & TO && !(set & TOKEN))
		notes_mistake(f->notes, fill_mark(node, "to"),
			      "a %s webhook knows its room: to is for a bot "
			      "with token_file",
			      type);
	for (size_t i = 0; i < ARRAY_LEN(needs); i++)
		if (needs[i].use & must & ~set)
			notes_mistake(f->notes, node->key_mark,
				      "a %s channel needs %s", type,
				      needs[i].words);
	for (size_t i = 0; i < ARRAY_LEN(uses); i++) {
		const struct node *n = node_get(node, uses[i].key);

		if (n && !(uses[i].use & (kind->must | kind->may)))
			notes_mistake(f->notes, n->key_mark,
				      "a %s channel has no use for %s", type,
				      uses[i].key);
	}
	if (node_get(node, "url") && node_get(node, "url_file"))
		notes_mistake(f->notes, fill_mark(node, "url_file"),
			      "url and url_file: one of them, not both");
}

/* A URL may come from a file: nothing of it stands in a message. */
static void check_url(struct fill *f, const struct config_channel *ch,
		      struct slice text, const char *key,
		      struct config_mark mark)
{
	static const char *const schemes[] = { "https", "http", NULL };
	struct arena arena;
	struct config_url url;
	struct err err;

	arena_init(&arena);
	if (value_url(text, schemes, &arena, &url, &err) != PH_OK) {
		notes_mistake(f->notes, mark, "%s %s", key, err.text);
		goto out;
	}
	if (!strcmp(url.scheme, "http") && !ch->insecure)
		notes_mistake(f->notes, mark,
			      "%s is plain http, which anyone on the way can "
			      "read: use https, or say insecure: true",
			      key);
	for (int t = 0; t < CHANNEL_TYPES; t++)
		if (t != (int)ch->type && kinds[t].host &&
		    ch->type != CHANNEL_WEBHOOK &&
		    slice_caseglob(slice_of(kinds[t].host), slice_of(url.host)))
			notes_mistake(f->notes, mark,
				      "%s belongs to another service (%s), not "
				      "to %s",
				      key, channel_type_words[t],
				      channel_type_words[ch->type]);
out:
	arena_release(&arena);
}

static void check_urls(struct fill *f, const struct node *node,
		       const struct config_channel *ch)
{
	char *secret;
	struct err err;

	if (ch->url) {
		check_url(f, ch, slice_of(ch->url), "url",
			  fill_mark(node, "url"));
		if (kinds[ch->type].secret_url && !ch->token_file &&
		    !f->private_file && !strncmp(ch->url, "https:", 6))
			notes_mistake(f->notes, fill_mark(node, "url"),
				      "url is a secret, and others can read "
				      "this file: use url_file, or chmod 600 "
				      "%s",
				      f->notes->file);
	}
	if (f->files && ch->url_file &&
	    secret_read(ch->url_file, &secret, &err) == PH_OK) {
		check_url(f, ch, slice_of(secret), "url_file",
			  fill_mark(node, "url_file"));
		secret_free(secret);
	}
}

static const char *const people[] = { "@author",    "@maintainers",
				      "@committer", "@reviewers",
				      "@owner",	    NULL };

static bool proof_is_none(const struct config_trust *t)
{
	for (size_t i = 0; i < t->n_proof; i++)
		if (t->proof[i] == PROOF_NONE)
			return true;
	return false;
}

static void check_target(struct fill *f, const struct config_channel *ch,
			 const struct node *n)
{
	char list[128];
	unsigned which;
	struct err err;

	if (n->text.len && *n->text.ptr == '@') {
		if (value_word(n->text, people, &which, &err) != PH_OK) {
			value_join(people, list, sizeof(list));
			notes_mistake(f->notes, n->mark,
				      "to: \"%s\" is none of %s", n->text.ptr,
				      list);
		} else if (proof_is_none(&f->config->trust)) {
			notes_mistake(f->notes, n->mark,
				      "to: %s needs a real proof; \"proof: "
				      "none\" is enough only for addresses of "
				      "your own",
				      n->text.ptr);
		}
	} else if (!addr_valid(n->text)) {
		notes_mistake(f->notes, n->mark,
			      "to: \"%s\" is not a mail address", n->text.ptr);
	} else if (addr_is_list(n->text) && !ch->list_consent) {
		notes_mistake(f->notes, n->mark,
			      "to: %s is a mailing list: ask there first, "
			      "then say list_consent: true",
			      n->text.ptr);
	}
}

static void check_mail(struct fill *f, const struct node *node,
		       const struct config_channel *ch)
{
	const struct node *to = node_get(node, "to");
	const struct node *n = to && to->kind == NODE_LIST ? to->first : to;

	if (!f->config->has_smtp)
		notes_mistake(f->notes, node->key_mark,
			      "a mail channel needs smtp: (url and from)");
	if (ch->list_consent && proof_is_none(&f->config->trust))
		notes_mistake(f->notes, fill_mark(node, "list_consent"),
			      "mail to a list needs a real proof; \"proof: "
			      "none\" is enough only for addresses of your "
			      "own");
	for (; n; n = to->kind == NODE_LIST ? n->next : NULL)
		if (n->kind == NODE_TEXT)
			check_target(f, ch, n);
}

void check_channel(struct fill *f, const struct node *node, void *section)
{
	const struct config_channel *ch = section;
	const struct node *type = node_get(node, "type");
	unsigned which;
	struct err err;

	/* without a type there is nothing to hold it against */
	if (!type || type->kind != NODE_TEXT ||
	    value_word(type->text, channel_type_words, &which, &err) != PH_OK)
		return;
	check_keys(f, node, &kinds[ch->type], channel_type_words[ch->type]);
	check_urls(f, node, ch);
	if (ch->type == CHANNEL_MAIL)
		check_mail(f, node, ch);
}
