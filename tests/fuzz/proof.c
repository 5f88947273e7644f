/*
 * The proof of a sender. The first byte says what the rest is: a whole mail,
 * the value of an Authentication-Results, or that of a DKIM-Signature. No
 * input can hold a signature that the pinned key made.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "ph/arena.h"
#include "ph/proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const domains[] = { "example.com" };
static const char *const robots[] = { "lkp@example.com" };
static char key_file[] = "/tmp/perfherald-fuzz-XXXXXX";

static const struct config_trust trust = {
	.proof = { PROOF_AUTHRES, PROOF_DKIM },
	.n_proof = 2,
	.dkim = { (const char **)domains, 1 },
	.dkim_keys = key_file,
	.from = { (const char **)robots, 1 },
	.authserv_id = "mx",
};

static struct prover *make_prover(void)
{
	static const char key[] =
		"a._domainkey.example.com: v=DKIM1; k=ed25519; "
		"p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n";
	int fd = mkstemp(key_file);
	struct prover *p;
	struct err err;

	assert(fd >= 0);
	assert(write(fd, key, sizeof(key) - 1) == sizeof(key) - 1);
	close(fd);
	assert(prover_new(&trust, &p, &err) == PH_OK);
	unlink(key_file);
	return p;
}

static void make_mail(struct buf *b, const char *field, struct slice value)
{
	buf_reset(b);
	buf_printf(b, "%s", field);
	buf_add_slice(b, value);
	buf_add_str(b, "\r\nFrom: lkp@example.com\r\nTo: a@example.org\r\n"
		       "Subject: s\r\nMessage-ID: <a@b>\r\n\r\nbody\r\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct prover *prover;
	static struct buf mail;
	struct slice in = { (const char *)data, size };
	struct arena arena;
	struct message m;
	struct proof proof;
	struct err err;

	if (!prover)
		prover = make_prover();
	if (!size)
		return 0;
	in = slice_from(in, 1);
	if (data[0] == 'a')
		make_mail(&mail, "Authentication-Results: mx;", in);
	else if (data[0] == 'd')
		make_mail(&mail, "DKIM-Signature:", in);
	if (data[0] == 'a' || data[0] == 'd')
		in = buf_slice(&mail);
	arena_init(&arena);
	if (message_read(in, &arena, &m, &err) == PH_OK) {
		proof_check(prover, in, &m, 1717581600, 1800000000, &proof);
		assert(proof.why[0]);
		assert(proof.verdict != PROOF_LATER);
		/* only the server's word can be made up, and not by 'd' */
		if (proof.verdict == PROOF_PROVEN)
			assert(proof.how == PROOF_AUTHRES && data[0] != 'd');
	}
	arena_release(&arena);
	return 0;
}
