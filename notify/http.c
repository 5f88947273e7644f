#include "notify/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include "notify/curl.h"
#include "ph/limits.h"

#define CONNECT_MS    PATIENCE(10000)
#define RETRY_CEILING 86400 /* seconds */
#define USER_AGENT    "perfherald/" VERSION

struct http {
	CURL *easy;
	struct buf reply;
	struct slice unsent; /* of the body in flight */
	char curl_says[CURL_ERROR_SIZE];
};

struct http *http_new(void)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->easy = curl_handle();
	buf_init(&h->reply);
	h->reply.max = LIMIT_HTTP_REPLY;
	return h;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->easy);
	buf_release(&h->reply);
	free(h);
}

void http_put_escaped(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (is_alpha(c) || is_digit(c) || (c && strchr("-._~", c)))
			buf_add_char(b, c);
		else
			buf_printf(b, "%%%02X", (unsigned)(unsigned char)c);
	}
}

struct slice http_host(const char *url)
{
	struct slice s = slice_of(url), host;
	const char *sep = slice_find(s, S("://"));
	size_t len = 0;

	if (!sep)
		return S("the URL");
	host = slice_from(s, (size_t)(sep - url) + 3);
	while (len < host.len && !strchr("/?#", host.ptr[len]))
		len++;
	host = slice_head(host, len);
	sep = slice_rchr(host, '@');
	if (sep)
		host = slice_from(host, (size_t)(sep - host.ptr) + 1);
	return host.len ? host : S("the URL");
}

static size_t give_body(char *to, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;
	struct slice part = slice_head(h->unsent, size * count);

	if (part.len)
		memcpy(to, part.ptr, part.len);
	h->unsent = slice_from(h->unsent, part.len);
	return part.len;
}

/*
 * A kept connection that dies without a byte of answer makes libcurl repeat
 * the request by itself. It must rewind the body for that; refusing ends the
 * transfer with CURLE_SEND_FAIL_REWIND instead.
 */
static int refuse_rewind(void *ctx, curl_off_t offset, int origin)
{
	(void)ctx;
	(void)offset;
	(void)origin;
	return CURL_SEEKFUNC_FAIL;
}

/* Past the ceiling the rest is of no use: a short count ends the transfer. */
static size_t take_reply(char *from, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;

	buf_add(&h->reply, from, size * count);
	return h->reply.full ? 0 : size * count;
}

static struct curl_slist *add_header(struct curl_slist *list, const char *line)
{
	struct curl_slist *more = curl_slist_append(list, line);

	if (!more)
		out_of_memory();
	return more;
}

static struct curl_slist *headers_of(const struct http_request *q)
{
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < q->n_headers; i++)
		list = add_header(list, q->header[i]);
	/* else libcurl waits a second for a "100 Continue" */
	return add_header(list, "Expect:");
}

static void set_connection(struct http *h, const struct http_request *q)
{
	long limit = (long)(q->timeout_ms ? q->timeout_ms : HTTP_TIMEOUT_MS);
	CURL *e = h->easy;

	curl_easy_reset(e);
	h->curl_says[0] = '\0';
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, h->curl_says);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_URL, q->url);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR,
			 q->insecure ? "http,https" : "https");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(e, CURLOPT_USERAGENT, USER_AGENT);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(e, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
	if (q->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, q->ca_file);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
			 limit < CONNECT_MS ? limit : (long)CONNECT_MS);
	curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, limit);
}

static void set_request(struct http *h, const struct http_request *q,
			struct curl_slist *headers)
{
	CURL *e = h->easy;

	if (!strcmp(q->method, "GET"))
		curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
	else
		curl_easy_setopt(e, CURLOPT_POST, 1L);
	curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, q->method);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)q->body.len);
	curl_easy_setopt(e, CURLOPT_READFUNCTION, give_body);
	curl_easy_setopt(e, CURLOPT_READDATA, h);
	curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, refuse_rewind);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_reply);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, h);
	if (q->login) {
		curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl_easy_setopt(e, CURLOPT_USERPWD, q->login);
	}
}

/* What no later try mends by itself. */
static bool is_blocked(CURL *easy, CURLcode code)
{
	long os_error = 0;

	switch (code) {
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
	case CURLE_SSL_ENGINE_NOTFOUND:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return true;
	case CURLE_SSL_CONNECT_ERROR:
		/* a peer that went away in the handshake may be back soon */
		curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
		return os_error != ECONNRESET && os_error != EPIPE;
	default:
		return false;
	}
}

static enum http_end end_of(struct http *h, CURLcode code, size_t body_len)
{
	curl_off_t sent = 0;
	long request = 0;

	if (is_blocked(h->easy, code))
		return HTTP_BLOCKED;
	if (code == CURLE_SEND_FAIL_REWIND)
		return HTTP_LOST;
	curl_easy_getinfo(h->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	curl_easy_getinfo(h->easy, CURLINFO_REQUEST_SIZE, &request);
	if (request > 0 && (size_t)sent >= body_len)
		return HTTP_LOST;
	return HTTP_UNSENT;
}

/* curl's own text may quote the URL, so only its fixed words are used; but for
 * TLS, where it names no more than hosts and files. */
static const char *reason(const struct http *h, CURLcode code)
{
	bool tls = code == CURLE_PEER_FAILED_VERIFICATION ||
		   code == CURLE_SSL_CONNECT_ERROR ||
		   code == CURLE_SSL_CACERT_BADFILE;

	if (tls && h->curl_says[0])
		return h->curl_says;
	if (code == CURLE_SEND_FAIL_REWIND)
		return "the connection ended before an answer";
	if (code == CURLE_UNSUPPORTED_PROTOCOL)
		return "what answers there does not speak HTTP";
	return curl_easy_strerror(code);
}

static void say_why(const struct http *h, const struct http_request *q,
		    CURLcode code, struct http_reply *ret)
{
	struct slice host = http_host(q->url), url = slice_of(q->url);

	if (code == CURLE_UNSUPPORTED_PROTOCOL && !q->insecure &&
	    slice_caseskip(&url, S("http://")))
		snprintf(ret->why, sizeof(ret->why),
			 "%.*s: plain http is refused without `insecure: true`",
			 S_FMT(host));
	else
		snprintf(ret->why, sizeof(ret->why), "%.*s: %s", S_FMT(host),
			 reason(h, code));
}

static int64_t retry_after_ms(CURL *easy)
{
	curl_off_t seconds = 0;

	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
	/* a date in the past comes out negative before 8.12 */
	if (seconds < 0)
		return 0;
	return (int64_t)(seconds > RETRY_CEILING ? RETRY_CEILING : seconds) *
	       1000;
}

void http_do(struct http *h, const struct http_request *q,
	     struct http_reply *ret)
{
	struct curl_slist *headers = headers_of(q);
	long status = 0;
	CURLcode code;

	*ret = (struct http_reply){ .end = HTTP_ANSWERED };
	buf_reset(&h->reply);
	h->unsent = q->body;
	set_connection(h, q);
	set_request(h, q, headers);
	code = curl_easy_perform(h->easy);
	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	/* the status line decides, even when the rest of the answer is cut */
	if (code == CURLE_OK || status >= 200) {
		ret->code = (int)status;
		ret->retry_after_ms = retry_after_ms(h->easy);
		ret->body = buf_slice(&h->reply);
	} else {
		ret->end = end_of(h, code, q->body.len);
		say_why(h, q, code, ret);
	}
	curl_slist_free_all(headers);
}

enum status http_probe(struct http *h, const struct http_request *q,
		       struct err *err)
{
	struct http_reply r = { .end = HTTP_UNSENT };
	CURLcode code;

	set_connection(h, q);
	curl_easy_setopt(h->easy, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(h->easy, CURLOPT_FRESH_CONNECT, 1L);
	code = curl_easy_perform(h->easy);
	if (code == CURLE_OK)
		return PH_OK;
	say_why(h, q, code, &r);
	return err_exit(err, is_blocked(h->easy, code) ? PH_BAD : PH_RETRY,
			code == CURLE_UNSUPPORTED_PROTOCOL ? EX_CONFIG
							   : EX_UNAVAILABLE,
			"%s", r.why);
}
