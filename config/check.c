#include "config/check.h"

#include <errno.h>
#include <unistd.h>
#include "config/value.h"
#include "ph/addr.h"

static bool has(const struct node *node, const char *key)
{
	return node_get(node, key);
}

/* One of the keys of a secret must stand there, and none that the way of
 * logging in has no use for. */
static void check_login(struct fill *f, const struct node *node,
			const struct config_mailbox *box)
{
	bool password = box->auth == AUTH_LOGIN || box->auth == AUTH_PLAIN;
	bool token = box->auth == AUTH_XOAUTH2;
	int given = has(node, "password_file") + has(node, "password_command");
	struct config_mark mark = fill_mark(node, "auth");
	static const char *const names[] = { "login", "plain", "xoauth2",
					     "anonymous" };
	const char *auth = names[box->auth];

	if (password && given != 1)
		notes_mistake(f->notes, mark,
			      "auth %s needs password_file or "
			      "password_command%s",
			      auth, given ? ", not both" : "");
	if (!password && given)
		notes_mistake(f->notes, mark, "auth %s has no password", auth);
	if (token && !has(node, "token_command"))
		notes_mistake(f->notes, mark,
			      "auth xoauth2 needs "
			      "token_command");
	if (!token && has(node, "token_command"))
		notes_mistake(f->notes, mark,
			      "token_command is for auth xoauth2 only");
	if (box->auth != AUTH_ANONYMOUS && box->url.host && !box->url.user)
		notes_mistake(f->notes, fill_mark(node, "url"),
			      "url must name the user: %s://USER@%s/...",
			      box->url.scheme, box->url.host);
}

/* Ports by which a server is spoken to in one way only. */
static void warn_port(struct fill *f, const struct node *node,
		      const struct config_url *url, const char *plain,
		      const char *tls, uint16_t tls_port)
{
	struct config_mark mark = fill_mark(node, "url");
	bool is_tls;

	if (!url->scheme)
		return;
	is_tls = !strcmp(url->scheme, tls);
	if (!is_tls && url->port == tls_port)
		notes_warning(f->notes, mark,
			      "url names port %u, where TLS begins at once: is "
			      "%s:// meant?",
			      (unsigned)url->port, tls);
	if (is_tls && (url->port == 143 || url->port == 25 || url->port == 587))
		notes_warning(f->notes, mark,
			      "url names port %u, where TLS begins with "
			      "STARTTLS: is %s:// meant?",
			      (unsigned)url->port, plain);
}

void check_mailbox(struct fill *f, const struct node *node, void *section)
{
	struct config_mailbox *box = section;
	const char *path = box->url.path;
	struct err err;

	check_login(f, node, box);
	warn_port(f, node, &box->url, "imap", "imaps", 993);
	if (!path)
		return;
	if (value_unescape(slice_of(*path ? path : "INBOX"), f->arena,
			   &box->folder, &err) != PH_OK)
		notes_mistake(f->notes, fill_mark(node, "url"), "url %s",
			      err.text);
	if (box->insecure && !strcmp(box->url.scheme, "imaps"))
		notes_mistake(f->notes, fill_mark(node, "insecure"),
			      "insecure is for imap:// only: imaps always "
			      "checks the certificate (ca_file names your "
			      "own authority)");
}

static bool has_proof(const struct config_trust *t, enum config_proof proof)
{
	for (size_t i = 0; i < t->n_proof; i++)
		if (t->proof[i] == proof)
			return true;
	return false;
}

void check_trust(struct fill *f, const struct node *node, void *section)
{
	const struct config_trust *t = section;

	if (has_proof(t, PROOF_AUTHRES) && !t->authserv_id)
		notes_mistake(f->notes, fill_mark(node, "proof"),
			      "proof authres needs authserv_id");
}

void check_git(struct fill *f, const struct node *node, void *section)
{
	const struct config_git *git = section;

	if (node && !has(node, "path") && (git->merged.n || git->trees))
		notes_mistake(f->notes, fill_mark(node, "path"),
			      "path is missing");
	if (f->files && git->trees && access(git->trees, R_OK | X_OK) != 0)
		notes_mistake(f->notes, fill_mark(node, "trees"),
			      "trees names %s: %s", git->trees,
			      strerror(errno));
}

void check_smtp(struct fill *f, const struct node *node, void *section)
{
	struct config_smtp *smtp = section;
	struct slice name = { 0 }, address = { 0 };
	struct err err;

	if (smtp->from &&
	    addr_parse(slice_of(smtp->from), &name, &address, &err) == PH_OK) {
		smtp->from_name = name.len ? arena_str(f->arena, name) : NULL;
		smtp->from_address = arena_str(f->arena, address);
	}
	warn_port(f, node, &smtp->url, "smtp", "smtps", 465);
	if (!smtp->envelope_from)
		smtp->envelope_from = smtp->from_address;
	if (smtp->url.user && smtp->user)
		notes_mistake(f->notes, fill_mark(node, "user"),
			      "user stands in url as well");
	if (!smtp->user)
		smtp->user = smtp->url.user;
	if (smtp->user && !has(node, "password_file"))
		notes_mistake(f->notes, fill_mark(node, "user"),
			      "a user needs password_file");
	if (!smtp->user && smtp->password_file)
		smtp->user = smtp->from_address;
	if (smtp->url.path && *smtp->url.path)
		notes_mistake(f->notes, fill_mark(node, "url"),
			      "url of a relay has no path");
	if (smtp->insecure && smtp->url.scheme &&
	    !strcmp(smtp->url.scheme, "smtps"))
		notes_mistake(f->notes, fill_mark(node, "insecure"),
			      "insecure is for smtp:// only: smtps always "
			      "checks the certificate (ca_file names your "
			      "own authority)");
}

/* The state, or one of those that lie beside it and begin with its name. */
static bool is_of_state(const struct config *c, const char *path)
{
	struct slice rest = slice_of(path ? path : "");

	if (!c->state || !slice_skip(&rest, slice_of(c->state)))
		return false;
	return !rest.len || *rest.ptr == '-' || *rest.ptr == '.';
}

/* What is written anew must not be what all rests on. */
static void check_written(struct fill *f, const struct node *node,
			  const struct config *c)
{
	static const char says[] = "is a file of the state, which this would "
				   "overwrite";

	if (is_of_state(c, c->status_file))
		notes_mistake(f->notes, fill_mark(node, "status_file"),
			      "status_file %s", says);
	for (size_t i = 0; i < c->n_channels; i++)
		if (is_of_state(c, c->channels[i].path))
			notes_mistake(f->notes, c->channels[i].mark,
				      "path of channel \"%s\" %s",
				      c->channels[i].name, says);
}

/* Whoever it is told to must be the same for all reports. */
void check_top(struct fill *f, const struct node *node, void *section)
{
	const struct config *c = section;
	const struct config_channel *op = c->operator_;

	for (size_t i = 0; op && i < op->to.n; i++)
		if (*op->to.item[i] == '@' && op->type == CHANNEL_MAIL)
			notes_mistake(f->notes, fill_mark(node, "operator"),
				      "operator must have fixed addresses, "
				      "and channel \"%s\" has %s",
				      op->name, op->to.item[i]);
	if (c->ping_url && !strncmp(c->ping_url, "http:", 5))
		notes_mistake(f->notes, fill_mark(node, "ping_url"),
			      "ping_url must be https");
	check_written(f, node, c);
}
