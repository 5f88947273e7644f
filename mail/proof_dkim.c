#include "mail/header.h"
#include "mail/proof.h"
#include "ph/limits.h"

#include <assert.h>
#include <dkim.h>
#include <stdlib.h>

/*
 * libopendkim holds x= against the time it is now. With a drift this large it
 * finds none expired that the robot made, and we judge by the arrival. Larger
 * ones do harm: it takes the drift off t= without looking for a wrap.
 */
#define DRIFT (UINT64_C(30) * 365 * 86400)

/* Bytes of a body given to libopendkim at once, or one line. */
#define CHUNK (64 * KIB)

struct proof_dkim {
	DKIM_LIB *lib;
	struct keys *keys;
};

/* One mail's check, which the callbacks find through the handle. */
struct check {
	const struct proof_mail *mail;
	struct keys *keys;
	DKIM_SIGINFO *sig[LIMIT_SIGNATURES]; /* that passed the rules so far */
	size_t n;
	bool later;	 /* a key could not be looked up */
	bool told;	 /* why says what is wrong with a listed signature */
	struct err *why; /* the first reason against one */
};

static struct slice text_of(const unsigned char *str)
{
	return slice_of((const char *)str);
}

/* Keeps the first reason against a signature of the robot's. */
static void against(struct check *c, const char *text)
{
	if (!c->told)
		err_set(c->why, PH_BAD, "%s", text);
	c->told = true;
}

static struct slice tag(DKIM_SIGINFO *sig, const char *name)
{
	return text_of(dkim_sig_gettagvalue(sig, false, (u_char *)name));
}

/* From, To, Subject and Message-ID: what the report is known by. */
static bool signs_all(DKIM_SIGINFO *sig)
{
	static const char *const must[] = { "from", "to", "subject",
					    "message-id" };

	for (size_t i = 0; i < ARRAY_LEN(must); i++)
		if (!dkim_sig_hdrsigned(sig, (u_char *)must[i]))
			return false;
	return true;
}

/* x= and t= are unsigned decimal numbers (RFC 6376 3.5). */
static bool expired(DKIM_SIGINFO *sig, int64_t at)
{
	struct slice x = slice_trim(tag(sig, "x"));
	uint64_t end;

	if (!x.ptr)
		return false;
	return !slice_take_uint(&x, INT64_MAX, &end) || x.len ||
	       at > (int64_t)end;
}

static bool good_algorithm(DKIM_SIGINFO *sig)
{
	dkim_alg_t alg = DKIM_SIGN_UNKNOWN;

	return dkim_sig_getsignalg(sig, &alg) == DKIM_STAT_OK &&
	       (alg == DKIM_SIGN_RSASHA256 || alg == DKIM_SIGN_ED25519SHA256);
}

/* Our rules, before any key is looked up. */
static bool worth_a_try(struct check *c, DKIM_SIGINFO *sig)
{
	struct slice domain = text_of(dkim_sig_getdomain(sig));

	if (!domain.len || !proof_lists(&c->mail->trust->dkim, domain))
		return false;
	if (dkim_sig_geterror(sig) > DKIM_SIGERROR_OK)
		against(c, dkim_sig_geterrorstr(dkim_sig_geterror(sig)));
	else if (!good_algorithm(sig))
		against(c, "neither rsa-sha256 nor ed25519-sha256");
	else if (tag(sig, "l").ptr)
		against(c, "signs only a part of the body (l=)");
	else if (!signs_all(sig))
		against(c, "From, To, Subject and Message-ID are not all "
			   "signed");
	else if (expired(sig, c->mail->at))
		against(c, "signature had expired when the mail arrived");
	else if (c->n == LIMIT_SIGNATURES)
		against(c, "too many signatures");
	else
		return true;
	return false;
}

static DKIM_CBSTAT prescreen(DKIM *dkim, DKIM_SIGINFO **sigs, int n)
{
	struct check *c = dkim_get_user_context(dkim);

	for (int i = 0; i < n; i++) {
		if (worth_a_try(c, sigs[i]))
			c->sig[c->n++] = sigs[i];
		else
			dkim_sig_ignore(sigs[i]);
	}
	return DKIM_CBSTAT_CONTINUE;
}

static DKIM_CBSTAT find_key(DKIM *dkim, DKIM_SIGINFO *sig, u_char *buf,
			    size_t len)
{
	struct check *c = dkim_get_user_context(dkim);
	struct slice key;
	struct err err;
	enum status st = keys_find(c->keys, text_of(dkim_sig_getselector(sig)),
				   text_of(dkim_sig_getdomain(sig)),
				   c->mail->now, &key, &err);

	if (st == PH_OK && key.len >= len)
		st = err_set(&err, PH_NONE, "key is too long");
	if (st != PH_OK) {
		against(c, err.text);
		c->later |= st == PH_RETRY;
		return st == PH_RETRY ? DKIM_CBSTAT_TRYAGAIN
				      : DKIM_CBSTAT_NOTFOUND;
	}
	memcpy(buf, key.ptr, key.len);
	buf[key.len] = '\0';
	return DKIM_CBSTAT_CONTINUE;
}

struct proof_dkim *proof_dkim_new(struct keys *keys)
{
	struct proof_dkim *d = xcalloc(1, sizeof(*d));
	unsigned flags = DKIM_LIBFLAGS_DELAYSIGPROC;
	uint64_t drift = DRIFT;

	d->keys = keys;
	d->lib = dkim_init(NULL, NULL);
	if (!d->lib)
		out_of_memory();
	assert(dkim_libfeature(d->lib, DKIM_FEATURE_SHA256));
	dkim_options(d->lib, DKIM_OP_SETOPT, DKIM_OPTS_FLAGS, &flags,
		     sizeof(flags));
	dkim_options(d->lib, DKIM_OP_SETOPT, DKIM_OPTS_CLOCKDRIFT, &drift,
		     sizeof(drift));
	dkim_set_prescreen(d->lib, prescreen);
	dkim_set_key_lookup(d->lib, find_key);
	return d;
}

void proof_dkim_free(struct proof_dkim *d)
{
	if (!d)
		return;
	dkim_close(d->lib);
	free(d);
}

/* What was signed had CR LF at every line's end; files have lost the CR. */
static void add_line(struct buf *b, struct slice line, bool ended)
{
	buf_add_slice(b, line);
	if (ended)
		buf_add_str(b, "\r\n");
}

static DKIM_STAT feed_field(DKIM *dkim, struct slice raw, struct buf *b)
{
	struct slice line;

	buf_reset(b);
	while (slice_take_line(&raw, &line))
		add_line(b, line, raw.len > 0);
	return dkim_header(dkim, (u_char *)b->ptr, b->len);
}

static DKIM_STAT feed_header(DKIM *dkim, struct slice header, struct buf *b)
{
	DKIM_STAT st = DKIM_STAT_OK;
	struct header_field f;

	while (st == DKIM_STAT_OK && header_take(&header, &f))
		st = feed_field(dkim, f.raw, b);
	return st == DKIM_STAT_OK ? dkim_eoh(dkim) : st;
}

static DKIM_STAT feed_body(DKIM *dkim, struct slice body, struct buf *b)
{
	bool ended = body.len && body.ptr[body.len - 1] == '\n';
	DKIM_STAT st = DKIM_STAT_OK;
	struct slice line;

	buf_reset(b);
	while (st == DKIM_STAT_OK && slice_take_line(&body, &line)) {
		add_line(b, line, body.len || ended);
		if (body.len && b->len < CHUNK)
			continue;
		st = dkim_body(dkim, (u_char *)b->ptr, b->len);
		buf_reset(b);
	}
	return st;
}

/* Gives libopendkim the mail; prescreen is called between its halves. */
static DKIM_STAT feed(DKIM *dkim, const struct proof_mail *m, struct check *c)
{
	struct buf b;
	DKIM_STAT st;

	buf_init(&b);
	st = feed_header(dkim, m->header, &b);
	if (st == DKIM_STAT_OK && c->n)
		st = feed_body(dkim, m->body, &b);
	if (st == DKIM_STAT_OK && c->n)
		st = dkim_eom(dkim, NULL);
	buf_release(&b);
	return st;
}

/* libopendkim may call a signature good whose body hash is not. */
static bool holds(struct check *c, DKIM_SIGINFO *sig)
{
	unsigned flags = dkim_sig_getflags(sig);

	if (dkim_sig_getbh(sig) == DKIM_SIGBH_MISMATCH)
		against(c, "body was changed (its hash differs)");
	else if ((flags & DKIM_SIGFLAG_PASSED) &&
		 dkim_sig_getbh(sig) == DKIM_SIGBH_MATCH &&
		 dkim_sig_geterror(sig) == DKIM_SIGERROR_OK)
		return true;
	else if (dkim_sig_geterror(sig) == DKIM_SIGERROR_BADSIG)
		against(c, "signature does not fit the header");
	else if (dkim_sig_geterror(sig) > DKIM_SIGERROR_OK)
		against(c, dkim_sig_geterrorstr(dkim_sig_geterror(sig)));
	else
		against(c, "signature cannot be checked");
	return false;
}

static enum proof_verdict judge(struct check *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!holds(c, c->sig[i]))
			continue;
		err_set(c->why, PH_OK, "signature of %s (selector %s) verifies",
			(const char *)dkim_sig_getdomain(c->sig[i]),
			(const char *)dkim_sig_getselector(c->sig[i]));
		return PROOF_PROVEN;
	}
	if (!c->told)
		err_set(c->why, PH_BAD,
			"no signature of a domain in trust.dkim");
	return c->later ? PROOF_LATER : PROOF_UNPROVEN;
}

enum proof_verdict proof_dkim(struct proof_dkim *d, const struct proof_mail *m,
			      struct err *why)
{
	struct check c = { .mail = m, .keys = d->keys, .why = why };
	enum proof_verdict v;
	DKIM_STAT st;
	DKIM *dkim = dkim_verify(d->lib, (const u_char *)"mail", NULL, &st);

	if (!dkim)
		out_of_memory();
	dkim_set_user_context(dkim, &c);
	/* Otherwise the signatures themselves say how it went. */
	if (feed(dkim, m, &c) == DKIM_STAT_NORESOURCE)
		out_of_memory();
	v = judge(&c);
	dkim_free(dkim);
	return v;
}
