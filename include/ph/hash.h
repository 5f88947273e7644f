/*
 * hash - SHA-256, HMAC and Base64 (OpenSSL below).
 */
#ifndef PH_HASH_H
#define PH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/slice.h"

#define SHA256_LEN 32

/*
 * Once, as the program starts: from then on OpenSSL ends the program (71) when
 * memory ends, as all else does. It crashes where it sets itself up.
 */
void hash_init(void);

void hash_sha256(struct slice s, uint8_t ret[SHA256_LEN]);
void hash_hmac_sha256(struct slice key, struct slice s,
		      uint8_t ret[SHA256_LEN]);

/*
 * A name for a tuple: SHA-256 over the parts, each with its length before it,
 * so ("ab","c") and ("a","bc") differ. 64 hex digits and NUL.
 */
void hash_name(const struct slice *parts, size_t n, char ret[65]);

void hash_hex(const uint8_t *bytes, size_t len, char *ret);

void base64_put(struct buf *b, struct slice s);
/* Strict RFC 4648 with padding, no blanks. False when malformed. */
bool base64_take(struct slice s, struct buf *ret);

#endif
