/*
 * dns - TXT records, through the C library's resolver.
 */
#ifndef MAIL_DNS_H
#define MAIL_DNS_H

#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"

struct dns;

/* Name servers of /etc/resolv.conf, which is read again when it changes. */
struct dns *dns_new(void);
/* One name server on 127.0.0.1, for tests. */
struct dns *dns_new_at(uint16_t port);
void dns_free(struct dns *d);

/*
 * The TXT record of name, its strings joined; of several the first. Blocks
 * for some 10 s at most.
 * PH_OK: *ret holds it (after what it held), *ret_ttl its seconds to live.
 * PH_NONE: there is no such name or record.
 * PH_RETRY: no answer, or one that cannot be used.
 */
enum status dns_txt(struct dns *d, const char *name, struct buf *ret,
		    uint32_t *ret_ttl, struct err *err);

#endif
