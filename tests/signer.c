#include "tests/signer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include <opendkim/dkim.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include "ph/hash.h"

#define SELECTOR "bench"

static void keep_private(struct signer *s, EVP_PKEY *key)
{
	BIO *out = BIO_new(BIO_s_mem());
	char *text;
	long len;

	assert(PEM_write_bio_PrivateKey_traditional(out, key, NULL, NULL, 0,
						    NULL, NULL));
	len = BIO_get_mem_data(out, &text);
	s->key = strndup(text, (size_t)len);
	BIO_free(out);
}

static void write_public(const struct signer *s, EVP_PKEY *key,
			 const char *file)
{
	unsigned char *der = NULL;
	int len = i2d_PUBKEY(key, &der);
	struct buf b;
	FILE *f;

	assert(len > 0);
	buf_init(&b);
	base64_put(&b, (struct slice){ (const char *)der, (size_t)len });
	f = fopen(file, "w");
	assert(f);
	fprintf(f, SELECTOR "._domainkey.%s: v=DKIM1; k=rsa; p=%s\n", s->domain,
		buf_str(&b));
	assert(fclose(f) == 0);
	buf_release(&b);
	OPENSSL_free(der);
}

void signer_init(struct signer *s, const char *domain, const char *keys_file)
{
	EVP_PKEY *key = EVP_RSA_gen(2048);

	assert(key);
	s->domain = domain;
	keep_private(s, key);
	write_public(s, key, keys_file);
	EVP_PKEY_free(key);
}

void signer_release(struct signer *s)
{
	free(s->key);
}

static void put_crlf(struct buf *out, struct slice text)
{
	struct slice line;

	while (slice_take_line(&text, &line)) {
		buf_add_slice(out, line);
		buf_add_str(out, "\r\n");
	}
}

/* A field with its folded lines, up to the CR LF behind it. */
static struct slice take_field(struct slice *header)
{
	const char *start = header->ptr, *end = start;
	struct slice line;

	do {
		slice_take_line(header, &line);
		end = line.ptr + line.len;
	} while (header->len && (*header->ptr == ' ' || *header->ptr == '\t'));
	return slice_between(start, end);
}

static void sign_header(DKIM *dkim, struct slice header)
{
	while (header.len) {
		struct slice field = take_field(&header);

		assert(dkim_header(dkim, (u_char *)field.ptr, field.len) ==
		       DKIM_STAT_OK);
	}
	assert(dkim_eoh(dkim) == DKIM_STAT_OK);
}

/* The signature's lines end in CR LF too. */
static void put_signature(DKIM *dkim, struct buf *out)
{
	u_char *text;
	size_t len;

	assert(dkim_eom(dkim, NULL) == DKIM_STAT_OK);
	assert(dkim_getsighdr_d(dkim, strlen(DKIM_SIGNHEADER) + 2, &text,
				&len) == DKIM_STAT_OK);
	buf_add_str(out, DKIM_SIGNHEADER ": ");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n' && (!i || text[i - 1] != '\r'))
			buf_add_char(out, '\r');
		buf_add_char(out, (char)text[i]);
	}
	buf_add_str(out, "\r\n");
}

void signer_sign(const struct signer *s, struct slice mail, struct buf *out)
{
	DKIM_LIB *lib = dkim_init(NULL, NULL);
	struct slice body;
	struct buf crlf;
	const char *gap;
	DKIM_STAT st;
	DKIM *dkim;

	buf_init(&crlf);
	put_crlf(&crlf, mail);
	gap = slice_find(buf_slice(&crlf), S("\r\n\r\n"));
	assert(lib && gap);
	body = slice_between(gap + 4, crlf.ptr + crlf.len);
	dkim = dkim_sign(lib, (const u_char *)"bench", NULL,
			 (dkim_sigkey_t)s->key, (const u_char *)SELECTOR,
			 (const u_char *)s->domain, DKIM_CANON_RELAXED,
			 DKIM_CANON_SIMPLE, DKIM_SIGN_RSASHA256, -1, &st);
	assert(dkim);
	sign_header(dkim, slice_between(crlf.ptr, gap + 2));
	assert(dkim_body(dkim, (u_char *)body.ptr, body.len) == DKIM_STAT_OK);
	put_signature(dkim, out);
	buf_add_slice(out, buf_slice(&crlf));
	dkim_free(dkim);
	dkim_close(lib);
	buf_release(&crlf);
}
