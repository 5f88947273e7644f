#include "mail/proof.h"
#include "mail/header.h"
#include "ph/addr.h"

#include <stdio.h>
#include <stdlib.h>

struct prover {
	const struct config_trust *trust;
	struct keys *keys; /* both NULL where dkim is not asked for */
	struct proof_dkim *dkim;
};

static bool uses_dkim(const struct config_trust *trust)
{
	for (size_t i = 0; i < trust->n_proof; i++)
		if (trust->proof[i] == PROOF_DKIM)
			return true;
	return false;
}

static struct prover *with_keys(const struct config_trust *trust,
				struct keys *keys)
{
	struct prover *p = xcalloc(1, sizeof(*p));

	p->trust = trust;
	p->keys = keys;
	if (keys)
		p->dkim = proof_dkim_new(keys);
	return p;
}

enum status prover_new(const struct config_trust *trust, struct prover **ret,
		       struct err *err)
{
	struct keys *keys = NULL;
	enum status st;

	if (uses_dkim(trust) && trust->dkim_keys) {
		st = keys_read(trust->dkim_keys, &keys, err);
		if (st != PH_OK)
			return st;
	} else if (uses_dkim(trust)) {
		keys = keys_ask(dns_new());
	}
	*ret = with_keys(trust, keys);
	return PH_OK;
}

struct prover *prover_new_at(const struct config_trust *trust, struct dns *dns)
{
	return with_keys(trust, keys_ask(dns));
}

void prover_free(struct prover *p)
{
	if (!p)
		return;
	proof_dkim_free(p->dkim);
	keys_free(p->keys);
	free(p);
}

const char *proof_name(enum config_proof how)
{
	static const char *const names[] = {
		[PROOF_DKIM] = "dkim",
		[PROOF_AUTHRES] = "authres",
		[PROOF_NONE] = "none",
	};

	return names[how];
}

bool proof_lists(const struct config_list *list, struct slice text)
{
	for (size_t i = 0; i < list->n; i++)
		if (slice_caseeq(slice_of(list->item[i]), text))
			return true;
	return false;
}

static size_t count(struct slice header, struct slice name)
{
	struct header_field f;
	size_t n = 0;

	while (header_take(&header, &f))
		n += header_is(&f, name);
	return n;
}

/*
 * A second field of these would be read by one program and not by another
 * (RFC 5322 3.6, RFC 2045 3): what is signed must be what we read.
 */
static bool fields_once(struct slice header, struct err *why)
{
	static const struct slice once[] = {
		S_INIT("From"),		S_INIT("Sender"),
		S_INIT("To"),		S_INIT("Cc"),
		S_INIT("Subject"),	S_INIT("Message-ID"),
		S_INIT("Date"),		S_INIT("In-Reply-To"),
		S_INIT("References"),	S_INIT("MIME-Version"),
		S_INIT("Content-Type"), S_INIT("Content-Transfer-Encoding"),
	};

	for (size_t i = 0; i < ARRAY_LEN(once); i++) {
		size_t n = count(header, once[i]);

		if (n < 2)
			continue;
		err_set(why, PH_BAD, "%zu %.*s fields", n, S_FMT(once[i]));
		return false;
	}
	return true;
}

static bool from_robot(const struct config_trust *trust,
		       const struct message *msg, struct slice header,
		       struct err *why)
{
	if (msg->bare) {
		err_set(why, PH_BAD, "pasted text has no sender");
		return false;
	}
	if (!fields_once(header, why))
		return false;
	if (msg->n_from != 1) {
		err_set(why, PH_BAD, "%zu addresses in From", msg->n_from);
		return false;
	}
	if (!proof_lists(&trust->from, msg->from.address)) {
		err_set(why, PH_BAD, "From %.*s is not in trust.from",
			S_FMT(msg->from.address));
		return false;
	}
	return true;
}

static enum proof_verdict try(struct prover *p, enum config_proof how,
			      const struct proof_mail *m, struct err *why)
{
	switch (how) {
	case PROOF_DKIM:
		return proof_dkim(p->dkim, m, why);
	case PROOF_AUTHRES:
		return proof_authres(m, why);
	case PROOF_NONE:
		break;
	}
	err_set(why, PH_OK, "taken for real without proof");
	return PROOF_PROVEN;
}

/* Adds "dkim: reason" to the line, after what others said before. */
static void note(struct proof *ret, const char *name, const struct err *why)
{
	size_t len = strlen(ret->why);

	snprintf(ret->why + len, sizeof(ret->why) - len, "%s%s: %.200s",
		 len ? "; " : "", name, why->text);
}

static void check(struct prover *p, const struct config_trust *trust,
		  struct slice raw, const struct message *msg, int64_t arrived,
		  int64_t now, struct proof *ret)
{
	struct proof_mail m = { .trust = trust, .at = arrived, .now = now };
	struct err from = { 0 };
	bool robot;

	*ret = (struct proof){ .verdict = PROOF_UNPROVEN };
	if (!m.at)
		m.at = msg->received ? msg->received : now;
	header_split(raw, &m.header, &m.body);
	robot = from_robot(trust, msg, m.header, &from);
	for (size_t i = 0; i < trust->n_proof; i++) {
		enum config_proof how = trust->proof[i];
		enum proof_verdict v = PROOF_UNPROVEN;
		struct err why = from;

		if (robot || how == PROOF_NONE)
			v = try(p, how, &m, &why);
		if (v == PROOF_PROVEN) {
			*ret = (struct proof){ .verdict = v, .how = how };
			note(ret, proof_name(how), &why);
			return;
		}
		if (v == PROOF_LATER)
			ret->verdict = v;
		note(ret, proof_name(how), &why);
	}
}

void proof_check(struct prover *p, struct slice raw, const struct message *msg,
		 int64_t arrived, int64_t now, struct proof *ret)
{
	check(p, p->trust, raw, msg, arrived, now, ret);
}

/* The domain of an address and those above it, down to two labels: a company
 * signs for its departments. */
#define DOMAINS_MAX 8

static size_t domains_of(struct slice address, struct arena *arena,
			 const char *ret[DOMAINS_MAX])
{
	struct slice domain = address, before;
	size_t n = 0;

	slice_take_until(&domain, '@', &before);
	while (n < DOMAINS_MAX && slice_chr(domain, '.')) {
		ret[n++] = arena_str(arena, domain);
		slice_take_until(&domain, '.', &before);
	}
	return n;
}

void proof_check_sender(struct prover *p, struct slice raw,
			const struct message *msg, int64_t arrived, int64_t now,
			struct proof *ret)
{
	struct config_trust trust = *p->trust;
	const char *domain[DOMAINS_MAX], *from;
	struct arena arena;

	arena_init(&arena);
	from = arena_str(&arena, msg->from.address);
	trust.from = (struct config_list){ &from, 1 };
	trust.dkim = (struct config_list){ domain, domains_of(msg->from.address,
							      &arena, domain) };
	trust.n_proof = 0;
	for (size_t i = 0; i < p->trust->n_proof; i++)
		if (p->trust->proof[i] != PROOF_NONE)
			trust.proof[trust.n_proof++] = p->trust->proof[i];
	check(p, &trust, raw, msg, arrived, now, ret);
	if (!trust.n_proof)
		note(ret, "sender",
		     &(struct err){
			     .text = "trust.proof names no way to prove it" });
	arena_release(&arena);
}
