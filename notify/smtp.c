#include "notify/smtp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include "notify/curl.h"
#include "ph/addr.h"
#include "ph/arena.h"
#include "ph/clock.h"

#define CONNECT_MS PATIENCE(20000L)
#define REPLY_MS   PATIENCE(60000L)
#define WHOLE_MS   PATIENCE(300000L)

struct smtp {
	const struct config_smtp *config;
	struct smtp_waits waits;
	CURL *curl;
};

/* One transfer as it goes: what is left of the mail, the last command that
 * went out, and the server's last words. */
struct transfer {
	struct slice left;
	bool all_sent;
	bool leaving; /* QUIT is out: what comes now is of no interest */
	char command[5];
	char words[256];
	char curl_error[CURL_ERROR_SIZE];
};

struct smtp *smtp_new(const struct config_smtp *config,
		      const struct smtp_waits *waits)
{
	struct smtp *s = xcalloc(1, sizeof(*s));

	s->config = config;
	if (waits)
		s->waits = *waits;
	if (!s->waits.connect)
		s->waits.connect = CONNECT_MS;
	if (!s->waits.reply)
		s->waits.reply = REPLY_MS;
	if (!s->waits.whole)
		s->waits.whole = WHOLE_MS;
	s->curl = curl_handle();
	return s;
}

void smtp_free(struct smtp *s)
{
	if (!s)
		return;
	curl_easy_cleanup(s->curl);
	free(s);
}

static size_t give_mail(char *ret, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	size_t n = t->left.len < size * count ? t->left.len : size * count;

	memcpy(ret, t->left.ptr, n);
	t->left = slice_from(t->left, n);
	t->all_sent = !t->left.len;
	return n;
}

static size_t take_reply(char *line, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	struct slice words = slice_trim((struct slice){ line, size * count });

	if (!t->leaving)
		snprintf(t->words, sizeof(t->words), "%.*s", S_FMT(words));
	return size * count;
}

/*
 * Which command the last reply answers. Only known verbs are kept: the lines
 * after AUTH are secrets.
 */
static int watch_commands(CURL *curl, curl_infotype type, char *data,
			  size_t len, void *arg)
{
	static const char verbs[][5] = { "EHLO", "AUTH", "MAIL",
					 "RCPT", "DATA", "NOOP" };
	struct transfer *t = arg;

	(void)curl;
	if (type != CURLINFO_HEADER_OUT || len < 4)
		return 0;
	if (!memcmp(data, "QUIT", 4))
		t->leaving = true;
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (!memcmp(data, verbs[i], 4))
			memcpy(t->command, verbs[i], sizeof(t->command));
	return 0;
}

static bool is_smtps(const struct config_smtp *c)
{
	return slice_eq(slice_of(c->url.scheme), S("smtps"));
}

static void set_place(struct smtp *s)
{
	const struct config_smtp *c = s->config;
	bool ipv6 = strchr(c->url.host, ':') != NULL;
	char url[1024];

	snprintf(url, sizeof(url), "%s://%s%s%s:%u/%s", c->url.scheme,
		 ipv6 ? "[" : "", c->url.host, ipv6 ? "]" : "", c->url.port,
		 c->url.path ? c->url.path : "");
	curl_easy_setopt(s->curl, CURLOPT_URL, url);
	curl_easy_setopt(s->curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(s->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT_MS, s->waits.connect);
	curl_easy_setopt(s->curl, CURLOPT_SERVER_RESPONSE_TIMEOUT,
			 (s->waits.reply + 999) / 1000);
	curl_easy_setopt(s->curl, CURLOPT_TIMEOUT_MS, s->waits.whole);
}

static void set_tls(struct smtp *s)
{
	const struct config_smtp *c = s->config;
	bool plain = c->insecure && !is_smtps(c);

	curl_easy_setopt(s->curl, CURLOPT_USE_SSL,
			 (long)(plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
	curl_easy_setopt(s->curl, CURLOPT_SSLVERSION,
			 (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(s->curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(s->curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (!c->ca_file)
		return;
	/* in place of the system's authorities, not beside them */
	curl_easy_setopt(s->curl, CURLOPT_CAINFO, c->ca_file);
	curl_easy_setopt(s->curl, CURLOPT_CAPATH, NULL);
}

static const char *user_name(const struct config_smtp *c)
{
	return c->user ? c->user : c->url.user;
}

/* libcurl copies the password; ours is wiped at once. */
static enum status set_login(struct smtp *s, struct err *err)
{
	const struct config_smtp *c = s->config;
	enum status status;
	char *password;

	if (!c->password_file || !user_name(c))
		return PH_OK;
	status = secret_read(c->password_file, &password, err);
	if (status != PH_OK)
		return status;
	curl_easy_setopt(s->curl, CURLOPT_USERNAME, user_name(c));
	curl_easy_setopt(s->curl, CURLOPT_PASSWORD, password);
	secret_free(password);
	return PH_OK;
}

static enum status prepare(struct smtp *s, struct transfer *t, struct err *err)
{
	/* keeps the connections, forgets every option */
	curl_easy_reset(s->curl);
	set_place(s);
	set_tls(s);
	curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, t->curl_error);
	curl_easy_setopt(s->curl, CURLOPT_HEADERFUNCTION, take_reply);
	curl_easy_setopt(s->curl, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_reply);
	curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(s->curl, CURLOPT_DEBUGFUNCTION, watch_commands);
	curl_easy_setopt(s->curl, CURLOPT_DEBUGDATA, t);
	curl_easy_setopt(s->curl, CURLOPT_VERBOSE, 1L);
	return set_login(s, err);
}

/* Forgets the login, and with it libcurl's copy of the password. */
static void forget(struct smtp *s)
{
	curl_easy_reset(s->curl);
}

static bool is_tls_failure(CURLcode code)
{
	switch (code) {
	case CURLE_USE_SSL_FAILED:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_ENGINE_INITFAILED:
		return true;
	default:
		return false;
	}
}

/*
 * The server's last code decides, not libcurl's (which says SEND_ERROR for a
 * refused sender and WEIRD_SERVER_REPLY for a refused mail). A code below 400
 * with a failure is the reply to something earlier, or 0 when a reply broke
 * off: the connection did. libcurl takes the mail only after a 354, and the
 * final dot follows the last byte at once, so with all bytes handed over it
 * may be out.
 */
static enum delivery judge(const struct transfer *t, CURLcode code, long reply)
{
	struct slice command = slice_of(t->command);

	if (code == CURLE_OK)
		return DELIVERY_SENT;
	if (reply == 530 || reply == 534 || reply == 535 || reply == 538 ||
	    code == CURLE_LOGIN_DENIED || is_tls_failure(code))
		return reply >= 400 && reply < 500 ? DELIVERY_LATER
						   : DELIVERY_CHANNEL;
	if (reply >= 500) {
		/* 552 to MAIL speaks of this mail's size, the rest of us */
		bool ours = slice_eq(command, S("RCPT")) ||
			    slice_eq(command, S("DATA")) || reply == 552;

		return ours ? DELIVERY_REFUSED : DELIVERY_CHANNEL;
	}
	if (t->all_sent && reply < 400)
		return DELIVERY_MAYBE;
	return DELIVERY_LATER;
}

static const char *what_happened(const struct transfer *t, CURLcode code,
				 long reply)
{
	if (reply >= 400 && t->words[0])
		return t->words;
	if (t->curl_error[0])
		return t->curl_error;
	return curl_easy_strerror(code);
}

/* "smtp mail.example.org:465: 550 no such user (RCPT)", one clean line. */
static void describe(const struct smtp *s, const struct transfer *t,
		     CURLcode code, struct delivery_result *ret)
{
	struct err line;
	const char *after = "";

	if (ret->what == DELIVERY_MAYBE)
		after = "; the mail was out, its receipt is unknown";
	err_set(&line, PH_BAD, "smtp %s:%u: %s%s%s%s%s", s->config->url.host,
		s->config->url.port, what_happened(t, code, ret->code),
		t->command[0] ? " (after " : "", t->command,
		t->command[0] ? ")" : "", after);
	snprintf(ret->text, sizeof(ret->text), "%.*s",
		 (int)sizeof(ret->text) - 1, line.text);
}

static void finish(struct smtp *s, const struct transfer *t, CURLcode code,
		   struct delivery_result *ret)
{
	long reply = 0;

	curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &reply);
	*ret = (struct delivery_result){ .code = (int)reply };
	ret->what = judge(t, code, reply);
	if (ret->what == DELIVERY_SENT)
		snprintf(ret->text, sizeof(ret->text), "%.500s", t->words);
	else
		describe(s, t, code, ret);
}

static void refuse(struct delivery_result *ret, enum delivery what,
		   const struct err *err)
{
	*ret = (struct delivery_result){ .what = what };
	snprintf(ret->text, sizeof(ret->text), "%.500s", err->text);
}

static void transfer_mail(struct smtp *s, struct transfer *t, char *recipient,
			  struct delivery_result *ret)
{
	struct curl_slist *to = curl_slist_append(NULL, recipient);
	curl_off_t size = (curl_off_t)t->left.len;

	if (!to)
		out_of_memory();
	curl_easy_setopt(s->curl, CURLOPT_MAIL_FROM, s->config->envelope_from);
	curl_easy_setopt(s->curl, CURLOPT_MAIL_RCPT, to);
	curl_easy_setopt(s->curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(s->curl, CURLOPT_INFILESIZE_LARGE, size);
	curl_easy_setopt(s->curl, CURLOPT_READFUNCTION, give_mail);
	curl_easy_setopt(s->curl, CURLOPT_READDATA, t);
	finish(s, t, curl_easy_perform(s->curl), ret);
	curl_slist_free_all(to);
}

void smtp_send(struct smtp *s, struct slice recipient, struct slice mail,
	       struct delivery_result *ret)
{
	struct transfer t = { .left = mail };
	char *address;
	struct err err;

	assert(mail.len);
	if (!addr_valid(recipient)) {
		err_set(&err, PH_BAD, "\"%.*s\" is not a mail address",
			S_FMT(recipient));
		refuse(ret, DELIVERY_REFUSED, &err);
		return;
	}
	if (prepare(s, &t, &err) != PH_OK) {
		refuse(ret, DELIVERY_CHANNEL, &err);
		forget(s);
		return;
	}
	address = xmalloc(recipient.len + 1);
	memcpy(address, recipient.ptr, recipient.len);
	address[recipient.len] = '\0';
	transfer_mail(s, &t, address, ret);
	free(address);
	forget(s);
}

enum status smtp_probe(struct smtp *s, struct err *err)
{
	struct transfer t = { 0 };
	struct delivery_result got;
	enum status status = prepare(s, &t, err);

	if (status == PH_OK) {
		/* without recipients libcurl sends this command and no mail */
		curl_easy_setopt(s->curl, CURLOPT_CUSTOMREQUEST, "NOOP");
		finish(s, &t, curl_easy_perform(s->curl), &got);
	} else {
		refuse(&got, DELIVERY_CHANNEL, err);
	}
	forget(s);
	if (got.what == DELIVERY_SENT)
		return PH_OK;
	return err_set(err, got.what == DELIVERY_LATER ? PH_RETRY : PH_BAD,
		       "%s", got.text);
}
