/*
 * keys - public keys of signers: pinned in a file, or asked of DNS and kept.
 */
#ifndef MAIL_KEYS_H
#define MAIL_KEYS_H

#include <stdint.h>
#include "mail/dns.h"
#include "ph/err.h"
#include "ph/slice.h"

struct keys;

/* Keys of a file (form: include/ph/proof.h), and no others.
 * PH_FATAL: missing (66), or malformed (78) with its line. */
enum status keys_read(const char *path, struct keys **ret, struct err *err);
/* Keys of DNS. Takes over dns. */
struct keys *keys_ask(struct dns *dns);
void keys_free(struct keys *k);

/*
 * The key record of a selector.
 * PH_OK: *ret is valid until the next call. PH_NONE: there is none.
 * PH_RETRY: cannot be known now.
 */
enum status keys_find(struct keys *k, struct slice selector,
		      struct slice domain, int64_t now, struct slice *ret,
		      struct err *err);

#endif
