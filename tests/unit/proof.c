#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>
#include "mail/proof.h"
#include "ph/arena.h"
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/table.h"

/* The mails of tests/signers/make.py, which sign as example.com. */
static char folder[] = "/tmp/perfherald-proof-XXXXXX";

#define NOW	INT64_C(1800000000)
#define ARRIVED INT64_C(1717581600)

static const char *const domains[] = { "Example.COM" };
static const char *const robots[] = { "oliver@example.com", "lkp@example.com" };
static char key_file[64];

static struct config_trust trust = {
	.proof = { PROOF_DKIM },
	.n_proof = 1,
	.dkim = { (const char **)domains, 1 },
	.dkim_keys = key_file,
	.from = { (const char **)robots, 2 },
	.authserv_id = "mx.example.org",
};

static struct buf load(const char *name)
{
	struct buf b = { .max = LIMIT_MAIL };
	char path[128], chunk[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	assert_non_null(f);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	return b;
}

/* Puts `to` in the place of the first `from`, which must be there. */
static void edit(struct buf *b, const char *from, const char *to)
{
	const char *at = slice_find(buf_slice(b), slice_of(from));
	struct buf new = { .max = LIMIT_MAIL };
	size_t before;

	assert_non_null(at);
	before = (size_t)(at - b->ptr);
	buf_add(&new, b->ptr, before);
	buf_add_str(&new, to);
	buf_add_slice(&new, slice_from(buf_slice(b), before + strlen(from)));
	buf_release(b);
	*b = new;
}

static struct proof check(struct prover *p, struct slice raw, int64_t arrived,
			  int64_t now)
{
	struct arena arena;
	struct message msg;
	struct proof ret;
	struct err err;

	arena_init(&arena);
	assert_int_equal(message_read(raw, &arena, &msg, &err), PH_OK);
	proof_check(p, raw, &msg, arrived, now, &ret);
	arena_release(&arena);
	return ret;
}

static struct signed_case {
	const char *name, *file;
	const char *from, *to; /* an edit, if any */
	int64_t arrived;       /* 0: as a file, by its Received */
	enum proof_verdict want;
	const char *why;
} signed_cases[] = {
	{ "rsa-sha256 of python3-dkim", "rsa", NULL, NULL, 0, PROOF_PROVEN,
	  "dkim: signature of example.com (selector Intel) verifies" },
	{ "the same from a file without CR", "rsa-lf", NULL, NULL, 0,
	  PROOF_PROVEN, NULL },
	{ "relaxed body", "relaxed", NULL, NULL, 0, PROOF_PROVEN, NULL },
	{ "simple header", "simple", NULL, NULL, 0, PROOF_PROVEN, NULL },
	{ "ed25519", "ed25519", NULL, NULL, 0, PROOF_PROVEN, NULL },
	{ "rsa-sha256 of libmail-dkim-perl", "perl", NULL, NULL, 0,
	  PROOF_PROVEN, NULL },
	{ "a list's signature above the robot's", "list-signed-too", NULL, NULL,
	  0, PROOF_PROVEN, NULL },
	{ "a trace field was added on the way", "rsa", "Received: by mail",
	  "Received: by relay.example.net; Wed, 05 Jun 2024 10:00:09 +0000\r\n"
	  "Received: by mail",
	  0, PROOF_PROVEN, NULL },
	{ "no signature", "unsigned", NULL, NULL, 0, PROOF_UNPROVEN,
	  "dkim: no signature of a domain in trust.dkim" },
	{ "body altered", "rsa", "-12.3% regression of", "-82.3% regression of",
	  0, PROOF_UNPROVEN, "dkim: body was changed (its hash differs)" },
	{ "body made longer", "rsa", "made up\")\r\n",
	  "made up\")\r\n\r\nPS\r\n", 0, PROOF_UNPROVEN,
	  "dkim: body was changed (its hash differs)" },
	{ "name in From altered", "rsa", "From: kernel test robot",
	  "From: kernel test robber", 0, PROOF_UNPROVEN,
	  "dkim: signature does not fit the header" },
	{ "From altered to another robot address", "rsa", "<lkp@example.com>\r",
	  "<oliver@example.com>\r", 0, PROOF_UNPROVEN,
	  "dkim: signature does not fit the header" },
	{ "From altered to a stranger", "rsa", "<lkp@example.com>\r",
	  "<eve@example.com>\r", 0, PROOF_UNPROVEN,
	  "dkim: From eve@example.com is not in trust.from" },
	{ "second From in front", "rsa", "From: kernel",
	  "From: robot <lkp@example.com>\r\nFrom: kernel", 0, PROOF_UNPROVEN,
	  "dkim: 2 From fields" },
	{ "second From behind, blank before the colon", "rsa", "MIME-Version",
	  "FROM : eve <eve@example.org>\r\nMIME-Version", 0, PROOF_UNPROVEN,
	  "dkim: 2 From fields" },
	{ "two mailboxes in From", "rsa", "<lkp@example.com>\r",
	  "<lkp@example.com>, <oliver@example.com>\r", 0, PROOF_UNPROVEN,
	  "dkim: 2 addresses in From" },
	{ "To altered", "rsa", "ann@example.org", "bob@example.org", 0,
	  PROOF_UNPROVEN, "dkim: signature does not fit the header" },
	{ "Subject altered", "rsa", "[made:up]", "[made:in]", 0, PROOF_UNPROVEN,
	  "dkim: signature does not fit the header" },
	{ "second Subject", "rsa", "Message-ID:",
	  "Subject: [made:up] 0123456789: other\r\nMessage-ID:", 0,
	  PROOF_UNPROVEN, "dkim: 2 Subject fields" },
	{ "second Content-Type", "rsa", "MIME-Version",
	  "Content-Type: multipart/mixed; boundary=x\r\nMIME-Version", 0,
	  PROOF_UNPROVEN, "dkim: 2 Content-Type fields" },
	{ "Message-ID altered", "rsa", "1a2b3c4d", "1a2b3c4e", 0,
	  PROOF_UNPROVEN, "dkim: signature does not fit the header" },
	{ "l= by the signer", "length", NULL, NULL, 0, PROOF_UNPROVEN,
	  "dkim: signs only a part of the body (l=)" },
	{ "l= added", "rsa", "d=example.com;", "d=example.com; l=0;", 0,
	  PROOF_UNPROVEN, "dkim: signs only a part of the body (l=)" },
	{ "Subject is not signed", "no-subject", NULL, NULL, 0, PROOF_UNPROVEN,
	  "dkim: From, To, Subject and Message-ID are not all signed" },
	{ "valid signature of another domain", "other-domain", NULL, NULL, 0,
	  PROOF_UNPROVEN, "dkim: no signature of a domain in trust.dkim" },
	{ "d= altered to ours", "other-domain", "d=other.example",
	  "d=example.com", 0, PROOF_UNPROVEN, "dkim: invalid domain coverage" },
	{ "rsa-sha1", "sha1", NULL, NULL, 0, PROOF_UNPROVEN,
	  "dkim: neither rsa-sha256 nor ed25519-sha256" },
	{ "key of 512 bits", "weak", NULL, NULL, 0, PROOF_UNPROVEN,
	  "dkim: signing key too small" },
	{ "key taken back", "revoked", NULL, NULL, 0, PROOF_UNPROVEN, NULL },
	{ "key not pinned", "no-key", NULL, NULL, 0, PROOF_UNPROVEN, NULL },
	{ "a file expires by its Received: just in time", "expires-at-once",
	  NULL, NULL, 0, PROOF_PROVEN, NULL },
	{ "a file expires by its Received: a second late", "expired", NULL,
	  NULL, 0, PROOF_UNPROVEN,
	  "dkim: signature had expired when the mail arrived" },
	{ "INTERNALDATE counts before Received: in time", "expired", NULL, NULL,
	  ARRIVED - 1, PROOF_PROVEN, NULL },
	{ "INTERNALDATE counts before Received: late", "expires-at-once", NULL,
	  NULL, ARRIVED + 1, PROOF_UNPROVEN, NULL },
	{ "without either it is now", "expires-at-once",
	  "Received: by mail.example.org; ", "X-Was: ", 0, PROOF_UNPROVEN,
	  "dkim: signature had expired when the mail arrived" },
	{ "x= altered", "expired", "x=1717581599", "x=1917581599", 0,
	  PROOF_UNPROVEN, "dkim: signature does not fit the header" },
	{ "x= is no number", "expired", "x=1717581599", "x=17175815x9", 0,
	  PROOF_UNPROVEN, NULL },
};

static void check_signed(void **state)
{
	const struct signed_case *c = *state;
	struct buf mail = load(c->file);
	struct prover *p;
	struct proof got;
	struct err err;

	if (c->from)
		edit(&mail, c->from, c->to);
	assert_int_equal(prover_new(&trust, &p, &err), PH_OK);
	got = check(p, guard_bytes(mail.ptr, mail.len), c->arrived, NOW);
	if (c->why)
		assert_string_equal(got.why, c->why);
	assert_true(strlen(got.why) > 6);
	assert_int_equal(got.verdict, c->want);
	if (c->want == PROOF_PROVEN)
		assert_int_equal(got.how, PROOF_DKIM);
	prover_free(p);
	buf_release(&mail);
}

/* Any one byte of what is signed, changed, must be found. */
static void every_signed_byte_counts(void **state)
{
	struct buf mail = load("rsa");
	const char *from = slice_find(buf_slice(&mail), S("Message-ID: "));
	const char *end = slice_find(buf_slice(&mail), S("\r\nMIME-Version"));
	const char *body = slice_find(buf_slice(&mail), S("Hello"));
	struct prover *p;
	struct err err;
	size_t tried = 0;

	(void)state;
	assert_int_equal(prover_new(&trust, &p, &err), PH_OK);
	for (char *at = mail.ptr; at < mail.ptr + mail.len; at++) {
		bool in_header = at >= from && at < end;

		if ((!in_header && at < body) ||
		    (!is_digit(*at) && !is_alpha(*at)))
			continue;
		*at ^= 1;
		assert_int_equal(check(p, buf_slice(&mail), 0, NOW).verdict,
				 PROOF_UNPROVEN);
		*at ^= 1;
		tried++;
	}
	assert_true(tried > 300);
	assert_int_equal(check(p, buf_slice(&mail), 0, NOW).verdict,
			 PROOF_PROVEN);
	prover_free(p);
	buf_release(&mail);
}

/* A fifth signature of ours is not looked at, the robot's own or not. */
static void so_many_signatures_are_tried(void **state)
{
	static const char bad[] =
		"DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=Intel; "
		"h=from:to:subject:message-id; bh=AAAA; b=AAAA\r\n";
	struct buf mail = load("rsa"), all = { 0 };
	struct prover *p;
	struct err err;

	(void)state;
	assert_int_equal(prover_new(&trust, &p, &err), PH_OK);
	for (size_t i = 0; i < LIMIT_SIGNATURES - 1; i++)
		buf_add_str(&all, bad);
	buf_add_slice(&all, buf_slice(&mail));
	assert_int_equal(check(p, buf_slice(&all), 0, NOW).verdict,
			 PROOF_PROVEN);
	buf_reset(&all);
	for (size_t i = 0; i < LIMIT_SIGNATURES; i++)
		buf_add_str(&all, bad);
	buf_add_slice(&all, buf_slice(&mail));
	assert_int_equal(check(p, buf_slice(&all), 0, NOW).verdict,
			 PROOF_UNPROVEN);
	prover_free(p);
	buf_release(&mail);
	buf_release(&all);
}

static void ways_are_tried_in_order(void **state)
{
	struct config_trust t = trust;
	struct buf mail = load("unsigned");
	struct prover *p;
	struct proof got;
	struct err err;

	(void)state;
	t.n_proof = 2;
	t.proof[1] = PROOF_AUTHRES;
	assert_int_equal(prover_new(&t, &p, &err), PH_OK);
	got = check(p, buf_slice(&mail), 0, NOW);
	assert_int_equal(got.verdict, PROOF_UNPROVEN);
	assert_string_equal(got.why,
			    "dkim: no signature of a domain in trust.dkim; "
			    "authres: no Authentication-Results of "
			    "mx.example.org");
	edit(&mail, "Received:",
	     "Authentication-Results: mx.example.org; "
	     "dkim=pass header.d=example.com\r\nReceived:");
	got = check(p, buf_slice(&mail), 0, NOW);
	assert_int_equal(got.verdict, PROOF_PROVEN);
	assert_int_equal(got.how, PROOF_AUTHRES);
	assert_string_equal(got.why, "authres: mx.example.org found a valid "
				     "signature of example.com");
	prover_free(p);
	buf_release(&mail);
}

static void none_asks_for_nothing(void **state)
{
	static const char pasted[] = "kernel test robot noticed a 5.0% "
				     "improvement of x.y on:\n";
	struct config_trust t = trust;
	struct prover *p;
	struct proof got;
	struct err err;

	(void)state;
	t.dkim_keys = "/nonexistent"; /* nobody reads it */
	t.proof[0] = PROOF_NONE;
	assert_int_equal(prover_new(&t, &p, &err), PH_OK);
	got = check(p, slice_of(pasted), 0, NOW);
	assert_int_equal(got.verdict, PROOF_PROVEN);
	assert_int_equal(got.how, PROOF_NONE);
	prover_free(p);

	assert_int_equal(prover_new(&trust, &p, &err), PH_OK);
	got = check(p, slice_of(pasted), 0, NOW);
	assert_int_equal(got.verdict, PROOF_UNPROVEN);
	assert_string_equal(got.why, "dkim: pasted text has no sender");
	prover_free(p);
}

static void without_dns_it_is_later(void **state)
{
	struct config_trust t = trust;
	struct buf mail = load("rsa");
	struct prover *p;
	struct proof got;

	(void)state;
	t.n_proof = 2;
	t.proof[1] = PROOF_AUTHRES;
	p = prover_new_at(&t, dns_new_at(1));
	got = check(p, buf_slice(&mail), 0, NOW);
	assert_int_equal(got.verdict, PROOF_LATER);
	assert_string_equal(got.why, "dkim: no answer from DNS for "
				     "Intel._domainkey.example.com; authres: "
				     "no Authentication-Results of "
				     "mx.example.org");
	/* what no key could mend is not put off */
	edit(&mail, "d=example.com;", "d=example.com; l=9;");
	got = check(p, buf_slice(&mail), 0, NOW);
	assert_int_equal(got.verdict, PROOF_UNPROVEN);
	prover_free(p);
	buf_release(&mail);
}

static void key_files_are_checked(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{ "", ": no keys in it" },
		{ "# nothing\n\n", ": no keys in it" },
		{ "Intel._domainkey.example.com v=DKIM1\n", ":1: not of" },
		{ "# one\nIntel.example.com: v=DKIM1; p=AA\n", ":2: not of" },
		{ "a._domainkey.b.c: v=DKIM1; k=rsa\n", ":1: not of" },
	};
	char path[96];
	struct prover *p;
	struct err err;
	struct config_trust t = trust;

	(void)state;
	snprintf(path, sizeof(path), "%s/bad", folder);
	t.dkim_keys = path;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		fputs(bad[i].text, f);
		fclose(f);
		assert_int_equal(prover_new(&t, &p, &err), PH_FATAL);
		assert_int_equal(err.exit_code, EX_CONFIG);
		assert_non_null(strstr(err.text, bad[i].want));
		assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
	}
	unlink(path);
	assert_int_equal(prover_new(&t, &p, &err), PH_FATAL);
	assert_int_equal(err.exit_code, EX_NOINPUT);
}

static void key_files_have_a_size(void **state)
{
	char path[96];
	struct config_trust t = trust;
	struct prover *p;
	struct err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/many", folder);
	t.dkim_keys = path;
	for (int more = 0; more < 2; more++) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		for (int i = 0; i < LIMIT_KEYS + more; i++)
			fprintf(f, "s%d._domainkey.example.com: p=%0*d\n", i,
				(int)LIMIT_KEY - 2 - 40, 0);
		fclose(f);
		if (!more) {
			assert_int_equal(prover_new(&t, &p, &err), PH_OK);
			prover_free(p);
			continue;
		}
		assert_int_equal(prover_new(&t, &p, &err), PH_FATAL);
		assert_int_equal(err.exit_code, EX_CONFIG);
	}
}

static int make_mails(void **state)
{
	char command[128];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(key_file, sizeof(key_file), "%s/keys", folder);
	/* Debian's own python has Debian's modules. */
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 tests/signers/make.py %s", folder);
	return system(command);
}

static int drop_mails(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static struct proof check_sender(const struct config_trust *of,
				 const char *file)
{
	struct buf mail = load(file);
	struct slice raw = guard_bytes(mail.ptr, mail.len);
	struct arena arena;
	struct message msg;
	struct prover *p;
	struct proof ret;
	struct err err;

	arena_init(&arena);
	assert_int_equal(message_read(raw, &arena, &msg, &err), PH_OK);
	assert_int_equal(prover_new(of, &p, &err), PH_OK);
	proof_check_sender(p, raw, &msg, 0, NOW, &ret);
	prover_free(p);
	arena_release(&arena);
	buf_release(&mail);
	return ret;
}

/* A reply comes from anyone: the lists of the robot say nothing about it. */
static void a_sender_is_proven_by_the_own_domain(void **state)
{
	static const char *const nobody[] = { "example.net" };
	struct config_trust other = trust;

	(void)state;
	other.dkim = (struct config_list){ (const char **)nobody, 1 };
	other.from = other.dkim;
	assert_int_equal(check_sender(&other, "rsa").verdict, PROOF_PROVEN);
	assert_int_equal(check_sender(&other, "unsigned").verdict,
			 PROOF_UNPROVEN);
	other.proof[0] = PROOF_NONE;
	assert_int_equal(check_sender(&other, "rsa").verdict, PROOF_UNPROVEN);
	assert_non_null(strstr(check_sender(&other, "rsa").why,
			       "names no way to prove it"));
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(every_signed_byte_counts),
		cmocka_unit_test(so_many_signatures_are_tried),
		cmocka_unit_test(ways_are_tried_in_order),
		cmocka_unit_test(none_asks_for_nothing),
		cmocka_unit_test(without_dns_it_is_later),
		cmocka_unit_test(key_files_are_checked),
		cmocka_unit_test(key_files_have_a_size),
		cmocka_unit_test(a_sender_is_proven_by_the_own_domain),
	};
	struct CMUnitTest tests[ARRAY_LEN(signed_cases) + ARRAY_LEN(others)];
	size_t n = 0;

	TABLE_ADD(tests, n, signed_cases, name, check_signed);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		tests[n++] = others[i];
	return cmocka_run_group_tests_name("proof", tests, make_mails,
					   drop_mails);
}
