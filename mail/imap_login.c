#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "mail/imap_session.h"
#include "ph/hash.h"

/* An AUTHENTICATE exchange (RFC 3501, 6.2.2): one answer to one challenge. */
struct mechanism {
	const char *name;
	bool needs_user, needs_secret;
	/* Adds the response, before Base64. */
	void (*respond)(struct buf *b, const char *user, const char *secret);
};

/* RFC 4616 */
static void respond_plain(struct buf *b, const char *user, const char *secret)
{
	buf_add_char(b, '\0');
	buf_add_str(b, user);
	buf_add_char(b, '\0');
	buf_add_str(b, secret);
}

/* Google's "XOAUTH2 Mechanism"; Microsoft's servers speak it too. */
static void respond_xoauth2(struct buf *b, const char *user, const char *secret)
{
	buf_printf(b, "user=%s\001auth=Bearer %s\001\001", user, secret);
}

/* RFC 4505: a trace of who comes */
static void respond_anonymous(struct buf *b, const char *user,
			      const char *secret)
{
	(void)user;
	(void)secret;
	buf_add_str(b, "perfherald");
}

static const struct mechanism mechanisms[] = {
	[AUTH_PLAIN] = { "PLAIN", true, true, respond_plain },
	[AUTH_XOAUTH2] = { "XOAUTH2", true, true, respond_xoauth2 },
	[AUTH_ANONYMOUS] = { "ANONYMOUS", false, false, respond_anonymous },
};

/* A buffer that held a secret keeps nothing of it. */
static void forget(struct buf *b)
{
	if (b->ptr)
		explicit_bzero(b->ptr, b->cap);
	buf_release(b);
}

static bool send_response(struct imap *imap, const struct mechanism *m,
			  const char *user, const char *secret)
{
	struct buf raw, coded;
	bool ok;

	buf_init(&raw);
	buf_init(&coded);
	m->respond(&raw, user, secret);
	base64_put(&coded, buf_slice(&raw));
	ok = imap_send(imap, buf_slice(&coded));
	forget(&raw);
	forget(&coded);
	return ok;
}

/*
 * The lines up to the tagged one, which is left in the session's buffer. A
 * second challenge can only be an error's details (XOAUTH2): an empty answer
 * makes the server say NO.
 */
static bool answer_challenges(struct imap *imap, const struct mechanism *m,
			      const char *user, const char *secret)
{
	struct slice line = imap_line(imap);
	int challenges = 0;

	while (line.len && line.ptr[0] == '+') {
		bool sent = ++challenges == 1
				    ? send_response(imap, m, user, secret)
				    : imap_send(imap, S(""));

		if (!sent)
			return false;
		line = imap_line(imap);
	}
	return line.len > 0;
}

static int authenticate(struct imap *imap, const struct mechanism *m,
			const char *user, const char *secret)
{
	mailimap *session = imap->session;
	struct buf line;
	bool sent;
	int r = mailimap_send_current_tag(session);

	if (r != MAILIMAP_NO_ERROR)
		return r;
	buf_init(&line);
	buf_printf(&line, "AUTHENTICATE %s", m->name);
	sent = imap_send(imap, buf_slice(&line));
	buf_release(&line);
	if (!sent || !answer_challenges(imap, m, user, secret))
		return MAILIMAP_ERROR_STREAM;
	r = imap_finish(imap);
	if (r != MAILIMAP_NO_ERROR)
		return r;
	session->imap_state = MAILIMAP_STATE_AUTHENTICATED;
	return MAILIMAP_NO_ERROR;
}

static enum status config_wants(const struct imap *imap, struct err *err,
				const char *what)
{
	return err_exit(err, PH_FATAL, EX_CONFIG, "mailboxes.%s: %s",
			imap->box->name, what);
}

static enum status read_secret(const struct imap *imap, char **ret,
			       struct err *err)
{
	const struct config_mailbox *box = imap->box;

	if (box->auth == AUTH_XOAUTH2 && box->token_command)
		return secret_run(box->token_command, ret, err);
	if (box->password_file)
		return secret_read(box->password_file, ret, err);
	if (box->password_command)
		return secret_run(box->password_command, ret, err);
	return config_wants(
		imap, err,
		box->auth == AUTH_XOAUTH2
			? "xoauth2 needs token_command"
			: "needs password_file or password_command");
}

/* RFC 5530's words for "not now". */
static bool is_temporary(struct slice said)
{
	return slice_caseskip(&said, S("[UNAVAILABLE]")) ||
	       slice_caseskip(&said, S("[INUSE]")) ||
	       slice_caseskip(&said, S("[SERVERBUG]")) ||
	       slice_caseskip(&said, S("[LIMIT]"));
}

/* A server may answer with what it was sent. */
static const char *without_secret(const char *said, const char *secret)
{
	if (secret && secret[0] && strstr(said, secret))
		return "(words that hold the secret)";
	return said;
}

/* Where the secret comes from, and so what to do. */
static void put_remedy(struct buf *b, const struct config_mailbox *box)
{
	if (box->auth == AUTH_ANONYMOUS)
		buf_printf(b,
			   "it takes no guests: set auth and a user for "
			   "mailboxes.%s",
			   box->name);
	else if (box->auth == AUTH_XOAUTH2)
		buf_printf(b,
			   "look at what token_command of mailboxes.%s prints, "
			   "and at the user in its url",
			   box->name);
	else if (box->password_file)
		buf_printf(b,
			   "write the right password into %s (password_file "
			   "of mailboxes.%s), or mend the user in its url",
			   box->password_file, box->name);
	else
		buf_printf(b,
			   "look at what password_command of mailboxes.%s "
			   "prints, and at the user in its url",
			   box->name);
}

static enum status refused(struct imap *imap, const char *secret,
			   struct err *err)
{
	const char *said = imap_said(imap);
	const char *user = imap->box->url.user;
	struct buf remedy;

	if (is_temporary(slice_of(said)))
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
				"%s: no login now: the server says \"%s\"",
				imap->stream.where,
				without_secret(said, secret));
	buf_init(&remedy);
	put_remedy(&remedy, imap->box);
	err_exit(err, PH_BAD, EX_UNAVAILABLE,
		 "%s: login of %s refused: the server says \"%s\"; %s",
		 imap->stream.where, user ? user : "anonymous",
		 without_secret(said, secret), buf_str(&remedy));
	buf_release(&remedy);
	return PH_BAD;
}

/* What was sent lies in libetpan's buffer until the next command. */
static void wipe_sent(struct imap *imap)
{
	mailstream *stream = imap->session->imap_stream;

	explicit_bzero(stream->write_buffer, stream->buffer_max_size);
}

static enum status log_in_with(struct imap *imap, const struct mechanism *m,
			       const char *secret, struct err *err)
{
	const char *user = imap->box->url.user;
	enum status s;
	int r;

	imap_begin(imap, 0);
	if (m)
		r = authenticate(imap, m, user, secret);
	else
		r = mailimap_login(imap->session, user ? user : "anonymous",
				   secret ? secret : "perfherald");
	wipe_sent(imap);
	s = imap_result(imap, r, "log in", err);
	return s == PH_BAD ? refused(imap, secret, err) : s;
}

static bool offers(struct imap *imap, const struct mechanism *m)
{
	return mailimap_has_authentication(imap->session, m->name);
}

/* Picks the mechanism; NULL is the LOGIN command. */
static enum status pick(struct imap *imap, const struct mechanism **ret,
			struct err *err)
{
	enum config_auth auth = imap->box->auth;
	const struct mechanism *m =
		auth == AUTH_LOGIN ? NULL : &mechanisms[auth];
	bool no_login = mailimap_has_extension(imap->session, "LOGINDISABLED");

	*ret = m;
	if (m && offers(imap, m))
		return PH_OK;
	if (m && auth != AUTH_ANONYMOUS)
		return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
				"%s: does not offer AUTH=%s; choose another "
				"auth for mailboxes.%s",
				imap->stream.where, m->name, imap->box->name);
	/* the older way in for guests: user anonymous, any password */
	*ret = NULL;
	if (no_login)
		return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
				"%s: has LOGIN switched off; use auth: plain "
				"or TLS for mailboxes.%s",
				imap->stream.where, imap->box->name);
	return PH_OK;
}

enum status imap_log_in(struct imap *imap, struct err *err)
{
	const struct mechanism *m;
	bool guest = imap->box->auth == AUTH_ANONYMOUS;
	char *secret = NULL;
	enum status s;

	if (!guest && !imap->box->url.user)
		return config_wants(imap, err, "no user in url");
	s = pick(imap, &m, err);
	if (s == PH_OK && !guest)
		s = read_secret(imap, &secret, err);
	if (s == PH_OK)
		s = log_in_with(imap, m, secret, err);
	secret_free(secret);
	return s;
}
