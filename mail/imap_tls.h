/*
 * imap_tls - an OpenSSL client that believes no certificate too easily.
 *
 * TLS 1.2 or newer, chain and host name verified, server name sent. A refused
 * certificate is told by its reason and what to do about it.
 */
#ifndef MAIL_IMAP_TLS_H
#define MAIL_IMAP_TLS_H

#include <openssl/ssl.h>
#include "ph/err.h"

struct imap_tls {
	SSL_CTX *ctx;
	SSL *ssl;
	int fd;
	const char *host, *where; /* for messages: "host", "host:port" */
	struct err refused;	  /* set by the verification */
};

/*
 * Gets ready to shake hands over fd, a non-blocking socket. ca_file: the
 * authorities to trust instead of the system's; NULL: the system's. host and
 * where must outlive t.
 * PH_FATAL: ca_file unreadable (78).
 */
enum status imap_tls_init(struct imap_tls *t, int fd, const char *host,
			  const char *where, const char *ca_file,
			  struct err *err);
void imap_tls_release(struct imap_tls *t);

/* Why SSL_connect failed for good. PH_FATAL or PH_RETRY, exit 69. */
enum status imap_tls_failure(struct imap_tls *t, struct err *err);

#endif
