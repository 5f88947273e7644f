#include <stdlib.h>
#include <sysexits.h>
#include "notify/http.h"
#include "ph/channel.h"

struct pinger {
	struct http *http;
};

struct pinger *pinger_new(void)
{
	struct pinger *p = xcalloc(1, sizeof(*p));

	p->http = http_new();
	return p;
}

void pinger_free(struct pinger *p)
{
	if (!p)
		return;
	http_free(p->http);
	free(p);
}

enum status pinger_fetch(struct pinger *p, const char *url, struct err *err)
{
	const struct http_request q = { .method = "GET", .url = url };
	struct http_reply r;

	http_do(p->http, &q, &r);
	if (r.end != HTTP_ANSWERED)
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE, "ping_url: %s",
				r.why);
	if (r.code < 200 || r.code > 299)
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
				"ping_url: %.*s answers HTTP %d",
				S_FMT(http_host(url)), r.code);
	return PH_OK;
}
