#include "mail/imap_tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sysexits.h>
#include "ph/arena.h"
#include "ph/clock.h"

/*
 * OpenSSL's own socket BIO writes with write(2), and a peer that has gone
 * would then kill the process by SIGPIPE.
 */
static int bio_write(BIO *bio, const char *ptr, int len)
{
	const struct imap_tls *t = BIO_get_data(bio);
	ssize_t n = send(t->fd, ptr, (size_t)len, MSG_NOSIGNAL);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)n;
}

static int bio_read(BIO *bio, char *ptr, int len)
{
	const struct imap_tls *t = BIO_get_data(bio);
	ssize_t n = recv(t->fd, ptr, (size_t)len, 0);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	if (n == 0)
		BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
	return (int)n;
}

static long bio_ctrl(BIO *bio, int cmd, long num, void *ptr)
{
	(void)num;
	(void)ptr;
	if (cmd == BIO_CTRL_EOF)
		return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
	return cmd == BIO_CTRL_FLUSH;
}

static BIO *new_bio(struct imap_tls *t)
{
	static BIO_METHOD *method;
	BIO *bio;

	if (!method) {
		method =
			BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
				     "perfherald");
		if (!method)
			out_of_memory();
		BIO_meth_set_write(method, bio_write);
		BIO_meth_set_read(method, bio_read);
		BIO_meth_set_ctrl(method, bio_ctrl);
	}
	bio = BIO_new(method);
	if (!bio)
		out_of_memory();
	BIO_set_data(bio, t);
	BIO_set_init(bio, 1);
	return bio;
}

/* The names that a certificate is for: "a.test, b.test and more". */
static void put_names(struct buf *b, X509 *cert)
{
	GENERAL_NAMES *names =
		X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	int n = names ? sk_GENERAL_NAME_num(names) : 0;
	unsigned shown = 0;

	for (int i = 0; i < n; i++) {
		const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);

		if (name->type != GEN_DNS)
			continue;
		if (shown == 3) {
			buf_add_str(b, " and more");
			break;
		}
		buf_printf(b, "%s%.*s", shown++ ? ", " : "",
			   ASN1_STRING_length(name->d.dNSName),
			   (const char *)ASN1_STRING_get0_data(
				   name->d.dNSName));
	}
	if (!shown)
		buf_add_str(b, "no host name");
	GENERAL_NAMES_free(names);
}

static void put_date(struct buf *b, const ASN1_TIME *time)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(time, &tm))
		buf_printf(b, "%04d-%02d-%02d", tm.tm_year + 1900,
			   tm.tm_mon + 1, tm.tm_mday);
	else
		buf_add_str(b, "an unreadable date");
}

static void put_issuer(struct buf *b, X509 *cert)
{
	char name[128] = "";

	X509_NAME_get_text_by_NID(X509_get_issuer_name(cert), NID_commonName,
				  name, sizeof(name));
	buf_printf(b, "\"%s\"", name);
}

static void put_reason(struct buf *b, int code, X509 *cert, const char *host)
{
	switch (code) {
	case X509_V_ERR_HOSTNAME_MISMATCH:
	case X509_V_ERR_IP_ADDRESS_MISMATCH:
		buf_add_str(b, "wrong name: the certificate is for ");
		put_names(b, cert);
		buf_printf(b, ", not for %s; write the name it is for in url",
			   host);
		break;
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
		buf_add_str(b, "the certificate is self-signed; if it is the "
			       "right one, name it with ca_file");
		break;
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
		buf_add_str(b, "untrusted issuer: the certificate is from ");
		put_issuer(b, cert);
		buf_add_str(b, ", which is not trusted here; if it is your own "
			       "authority, name its certificate with ca_file");
		break;
	case X509_V_ERR_CERT_HAS_EXPIRED:
		buf_add_str(b, "the certificate expired on ");
		put_date(b, X509_get0_notAfter(cert));
		buf_add_str(b, "; the server needs a new one");
		break;
	case X509_V_ERR_CERT_NOT_YET_VALID:
		buf_add_str(b, "the certificate is valid only from ");
		put_date(b, X509_get0_notBefore(cert));
		buf_add_str(b, "; is this machine's clock right?");
		break;
	default:
		buf_printf(b, "certificate refused: %s",
			   X509_verify_cert_error_string(code));
	}
}

/* Runs while the certificate is at hand; after the handshake it is gone. */
static int verified(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(
		store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct imap_tls *t = SSL_get_app_data(ssl);
	X509 *cert = X509_STORE_CTX_get_current_cert(store);
	struct buf text;

	if (ok)
		return 1;
	buf_init(&text);
	put_reason(&text, X509_STORE_CTX_get_error(store), cert, t->host);
	err_exit(&t->refused, PH_FATAL, EX_UNAVAILABLE, "%s: %s", t->where,
		 buf_str(&text));
	buf_release(&text);
	return 0;
}

static bool is_address(const char *host)
{
	struct in6_addr any;

	return inet_pton(AF_INET, host, &any) == 1 ||
	       inet_pton(AF_INET6, host, &any) == 1;
}

static void name_peer(SSL *ssl, const char *host)
{
	bool ok;

	if (is_address(host)) {
		ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
	} else {
		SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
		ok = SSL_set1_host(ssl, host) &&
		     SSL_set_tlsext_host_name(ssl, host);
	}
	if (!ok)
		out_of_memory();
}

/* A leaf in ca_file is trusted as it is: PARTIAL_CHAIN. */
static bool trust(SSL_CTX *ctx, const char *ca_file)
{
	X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(ctx),
				    X509_V_FLAG_PARTIAL_CHAIN);
	if (ca_file)
		return SSL_CTX_load_verify_file(ctx, ca_file);
	return SSL_CTX_set_default_verify_paths(ctx);
}

enum status imap_tls_init(struct imap_tls *t, int fd, const char *host,
			  const char *where, const char *ca_file,
			  struct err *err)
{
	BIO *bio;

	*t = (struct imap_tls){ .fd = fd, .host = host, .where = where };
	ERR_clear_error();
	t->ctx = SSL_CTX_new(TLS_client_method());
	if (!t->ctx)
		out_of_memory();
	if (!trust(t->ctx, ca_file)) {
		imap_tls_release(t);
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: no readable certificate in it (ca_file "
				"for %s)",
				ca_file ? ca_file : "system certificates",
				where);
	}
	SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION);
	SSL_CTX_set_options(t->ctx, SSL_OP_IGNORE_UNEXPECTED_EOF |
					    SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_verify(t->ctx, SSL_VERIFY_PEER, verified);
	SSL_CTX_set_mode(t->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
					 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	t->ssl = SSL_new(t->ctx);
	if (!t->ssl)
		out_of_memory();
	SSL_set_app_data(t->ssl, t);
	name_peer(t->ssl, host);
	bio = new_bio(t);
	SSL_set_bio(t->ssl, bio, bio);
	return PH_OK;
}

void imap_tls_release(struct imap_tls *t)
{
	SSL_free(t->ssl);
	SSL_CTX_free(t->ctx);
	t->ssl = NULL;
	t->ctx = NULL;
}

enum status imap_tls_failure(struct imap_tls *t, struct err *err)
{
	unsigned long code = ERR_peek_error();

	if (t->refused.text[0]) {
		*err = t->refused;
		return PH_FATAL;
	}
	switch (ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0) {
	case SSL_R_UNSUPPORTED_PROTOCOL:
	case SSL_R_WRONG_SSL_VERSION:
	case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
		return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
				"%s: its TLS version is too old; TLS 1.2 or "
				"newer must be switched on there",
				t->where);
	case SSL_R_WRONG_VERSION_NUMBER:
		return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
				"%s: no TLS on this port (what came is no TLS "
				"record); write imap:// in url, which begins "
				"with STARTTLS, or the port for imaps://",
				t->where);
	}
	if (!code)
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
				"%s: connection closed while TLS was set up",
				t->where);
	return err_exit(err, PH_RETRY, EX_UNAVAILABLE, "%s: TLS failed: %s",
			t->where, ERR_reason_error_string(code));
}
