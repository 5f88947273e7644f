#include "ph/hash.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdlib.h>

static void *allocate(size_t len, const char *file, int line)
{
	(void)file;
	(void)line;
	return xmalloc(len);
}

static void *reallocate(void *ptr, size_t len, const char *file, int line)
{
	(void)file;
	(void)line;
	return xrealloc(ptr, len);
}

static void give_back(void *ptr, const char *file, int line)
{
	(void)file;
	(void)line;
	free(ptr);
}

void hash_init(void)
{
	/* It refuses where a library that is loaded with us has used it by now;
	 * then it goes on with its own. */
	CRYPTO_set_mem_functions(allocate, reallocate, give_back);
}

void hash_sha256(struct slice s, uint8_t ret[SHA256_LEN])
{
	unsigned char *done = SHA256((const unsigned char *)s.ptr, s.len, ret);

	assert(done);
}

void hash_hmac_sha256(struct slice key, struct slice s, uint8_t ret[SHA256_LEN])
{
	unsigned len = SHA256_LEN;

	assert(key.len <= INT32_MAX);
	if (!HMAC(EVP_sha256(), key.ptr, (int)key.len,
		  (const unsigned char *)s.ptr, s.len, ret, &len))
		out_of_memory();
}

void hash_hex(const uint8_t *bytes, size_t len, char *ret)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*ret++ = digit[bytes[i] >> 4];
		*ret++ = digit[bytes[i] & 15];
	}
	*ret = '\0';
}

void hash_name(const struct slice *parts, size_t n, char ret[65])
{
	uint8_t sum[SHA256_LEN];
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&b, "%zu:", parts[i].len);
		buf_add_slice(&b, parts[i]);
	}
	hash_sha256(buf_slice(&b), sum);
	buf_release(&b);
	hash_hex(sum, sizeof(sum), ret);
}

void base64_put(struct buf *b, struct slice s)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.len; i += 3) {
		size_t n = s.len - i < 3 ? s.len - i : 3;
		uint32_t bits = 0;
		char out[4];

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 |
			       (k < n ? (unsigned char)s.ptr[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			out[k] =
				k <= n ? digit[bits >> (18 - 6 * k) & 63] : '=';
		buf_add(b, out, 4);
	}
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (is_digit(c))
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

bool base64_take(struct slice s, struct buf *ret)
{
	if (s.len % 4)
		return false;
	for (size_t i = 0; i < s.len; i += 4) {
		size_t n = 4;
		uint32_t bits = 0;

		if (i + 4 == s.len)
			while (n > 2 && s.ptr[i + n - 1] == '=')
				n--;
		for (size_t k = 0; k < 4; k++) {
			int v = k < n ? base64_value(s.ptr[i + k]) : 0;

			if (v < 0)
				return false;
			bits = bits << 6 | (uint32_t)v;
		}
		/* bits behind the last byte must be zero: one form a value */
		if (bits & ((UINT32_C(1) << (8 * (4 - n))) - 1))
			return false;
		for (size_t k = 0; k + 1 < n; k++)
			buf_add_char(ret, (char)(bits >> (16 - 8 * k) & 0xff));
	}
	return true;
}
