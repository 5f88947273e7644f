/*
 * http against a real server on loopback: what is answered, what is lost,
 * what is refused, and that no secret is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "notify/http.h"
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/http_sink.h"

static struct http_sink sink;
static struct http *http;
static char url[128];

static int start(void **state)
{
	(void)state;
	http_sink_start(&sink, NULL);
	http = http_new();
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/hook/s3cr3t",
		 sink.port);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	http_free(http);
	http_sink_stop(&sink);
	return 0;
}

static struct http_request post(void)
{
	return (struct http_request){
		.method = "POST",
		.url = url,
		.body = S("{\"a\":1}"),
		.header = { "Content-Type: application/json" },
		.n_headers = 1,
		.insecure = true,
		.timeout_ms = 5000 * guard_patience(),
	};
}

static struct http_reply ask(const char *script)
{
	struct http_request q = post();
	struct http_reply r;

	http_sink_script(&sink, script);
	http_do(http, &q, &r);
	assert_null(strstr(r.why, "s3cr3t"));
	return r;
}

static bool holds(struct slice s, const char *part)
{
	return slice_find(s, slice_of(part)) != NULL;
}

static void gets_without_a_body(void **state)
{
	const struct http_request q = { .method = "GET",
					.url = url,
					.insecure = true,
					.timeout_ms = 5000 };
	struct http_reply r;

	(void)state;
	http_do(http, &q, &r);
	assert_int_equal(r.end, HTTP_ANSWERED);
	assert_int_equal(r.code, 200);
	assert_true(holds(http_sink_head(&sink, 1), "GET /hook/s3cr3t HTTP"));
	assert_int_equal(http_sink_body(&sink, 1).len, 0);
	/* and what comes next on the same handle has one again */
	ask("{\"status\": 200}");
	assert_true(holds(http_sink_head(&sink, 2), "POST /hook/s3cr3t HTTP"));
	assert_true(holds(http_sink_body(&sink, 2), "{\"a\":1}"));
}

static void posts_and_keeps_the_connection(void **state)
{
	struct http_reply r = ask("{\"status\": 200, \"body\": \"fine\"}");
	struct slice head;

	(void)state;
	assert_int_equal(r.end, HTTP_ANSWERED);
	assert_int_equal(r.code, 200);
	assert_true(slice_eq(r.body, S("fine")));
	ask("{}");
	head = http_sink_head(&sink, 2);
	assert_true(slice_starts(head, S("POST /hook/s3cr3t HTTP/1.1")));
	assert_true(holds(head, "User-Agent: perfherald/"));
	assert_true(holds(head, "Content-Type: application/json"));
	assert_false(holds(head, "Expect:"));
	assert_true(holds(head, "X-Connection: 1\n"));
	assert_true(slice_eq(http_sink_body(&sink, 2), S("{\"a\":1}")));
}

static void reads_retry_after(void **state)
{
	char script[160], date[64];
	time_t soon = time(NULL) + 100;
	struct http_reply r;

	(void)state;
	r = ask("{\"status\": 429, \"headers\": {\"Retry-After\": \"7\"}}");
	assert_int_equal(r.code, 429);
	assert_int_equal(r.retry_after_ms, 7000);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT",
		 gmtime(&soon));
	snprintf(script, sizeof(script),
		 "{\"status\": 503, \"headers\": {\"Retry-After\": \"%s\"}}",
		 date);
	r = ask(script);
	assert_in_range(r.retry_after_ms, 90000, 100000);
	r = ask("{\"status\": 503, \"headers\": {\"Retry-After\": "
		"\"Thu, 01 Jan 2015 00:00:00 GMT\"}}");
	assert_int_equal(r.retry_after_ms, 0);
	r = ask("{\"status\": 429, \"headers\": {\"Retry-After\": "
		"\"9999999\"}}");
	assert_int_equal(r.retry_after_ms, 86400000);
}

static void follows_no_redirect(void **state)
{
	struct http_reply r = ask("{\"status\": 307, \"headers\": "
				  "{\"Location\": \"/elsewhere\"}}");

	(void)state;
	assert_int_equal(r.end, HTTP_ANSWERED);
	assert_int_equal(r.code, 307);
	assert_int_equal(http_sink_count(&sink), 1);
}

static void tells_lost_from_unsent(void **state)
{
	struct http_request q = post();
	struct http_reply r;

	(void)state;
	r = ask("{\"drop\": \"after\"}");
	assert_int_equal(r.end, HTTP_LOST);
	assert_non_null(strstr(r.why, "127.0.0.1"));
	q.url = "http://127.0.0.1:1/s3cr3t";
	http_do(http, &q, &r);
	assert_int_equal(r.end, HTTP_UNSENT);
	assert_null(strstr(r.why, "s3cr3t"));
}

/* libcurl alone would post a second time here. */
static void repeats_nothing_on_a_kept_connection(void **state)
{
	struct http_reply r;

	(void)state;
	ask("{}");
	r = ask("{\"drop\": \"after\"}");
	assert_int_equal(r.end, HTTP_LOST);
	assert_int_equal(http_sink_count(&sink), 2);
	r = ask("{}");
	assert_int_equal(r.code, 200);
	assert_false(holds(http_sink_head(&sink, 3), "X-Connection: 1\n"));
}

static void ends_at_its_time_limit(void **state)
{
	struct http_request q = post();
	struct http_reply r;

	(void)state;
	http_sink_script(&sink, "{\"stall\": true}");
	q.timeout_ms = 300;
	http_do(http, &q, &r);
	assert_int_equal(r.end, HTTP_LOST);
}

static void stops_reading_at_the_ceiling(void **state)
{
	struct http_reply r = ask("{\"status\": 400, \"endless\": true}");

	(void)state;
	assert_int_equal(r.end, HTTP_ANSWERED);
	assert_int_equal(r.code, 400);
	assert_int_equal(r.body.len, LIMIT_HTTP_REPLY);
}

static void takes_a_status_with_half_a_body(void **state)
{
	struct http_reply r = ask("{\"body\": \"ok\", \"length\": 50}");

	(void)state;
	assert_int_equal(r.end, HTTP_ANSWERED);
	assert_int_equal(r.code, 200);
}

static void refuses_plain_http_by_itself(void **state)
{
	struct http_request q = post();
	struct http_reply r;

	(void)state;
	q.insecure = false;
	http_do(http, &q, &r);
	assert_int_equal(r.end, HTTP_BLOCKED);
	assert_non_null(strstr(r.why, "insecure"));
	assert_null(strstr(r.why, "s3cr3t"));
	q.url = "ftp://127.0.0.1/s3cr3t";
	http_do(http, &q, &r);
	assert_int_equal(r.end, HTTP_BLOCKED);
	assert_null(strstr(r.why, "s3cr3t"));
	assert_int_equal(http_sink_count(&sink), 0);
}

static void names_a_peer_that_speaks_no_http(void **state)
{
	static const char *const answers[] = {
		"{\"raw\": \"SSH-2.0-OpenSSH_9.2\\r\\n\"}",
		"{\"raw\": \"HTTP/9.9 999 x\\r\\n\\r\\n\"}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct http_reply r = ask(answers[i]);

		assert_int_equal(r.end, HTTP_BLOCKED);
		assert_non_null(strstr(r.why, ": what answers there does not "
					      "speak HTTP"));
	}
}

static void tls_case(const char *name, bool own_ca, enum http_end want,
		     const char *why)
{
	struct http_request q = post();
	char ca[128], where[128];
	struct http_sink tls;
	struct http_reply r;
	struct err err;

	http_sink_start(&tls, name);
	snprintf(ca, sizeof(ca), "%s/ca.pem", tls.dir);
	snprintf(where, sizeof(where), "https://localhost:%d/s3cr3t", tls.port);
	q.url = where;
	q.insecure = false;
	q.ca_file = own_ca ? ca : NULL;
	http_do(http, &q, &r);
	assert_int_equal(r.end, want);
	if (why)
		assert_non_null(strstr(r.why, why));
	assert_null(strstr(r.why, "s3cr3t"));
	assert_int_equal(http_probe(http, &q, &err),
			 want == HTTP_ANSWERED ? PH_OK : PH_BAD);
	assert_int_equal(http_sink_count(&tls), want == HTTP_ANSWERED ? 1 : 0);
	http_sink_stop(&tls);
}

static void verifies_certificate_and_name(void **state)
{
	(void)state;
	tls_case("localhost", true, HTTP_ANSWERED, NULL);
	tls_case("localhost", false, HTTP_BLOCKED, "certificate");
	tls_case("other.example", true, HTTP_BLOCKED, "localhost");
}

static void probe_needs_a_listener(void **state)
{
	struct http_request q = post();
	struct err err;

	(void)state;
	assert_int_equal(http_probe(http, &q, &err), PH_OK);
	q.url = "http://127.0.0.1:1/s3cr3t";
	assert_int_equal(http_probe(http, &q, &err), PH_RETRY);
	assert_null(strstr(err.text, "s3cr3t"));
}

#define WITH_SINK(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH_SINK(gets_without_a_body),
		WITH_SINK(posts_and_keeps_the_connection),
		WITH_SINK(reads_retry_after),
		WITH_SINK(follows_no_redirect),
		WITH_SINK(tells_lost_from_unsent),
		WITH_SINK(repeats_nothing_on_a_kept_connection),
		WITH_SINK(ends_at_its_time_limit),
		WITH_SINK(stops_reading_at_the_ceiling),
		WITH_SINK(takes_a_status_with_half_a_body),
		WITH_SINK(refuses_plain_http_by_itself),
		WITH_SINK(names_a_peer_that_speaks_no_http),
		WITH_SINK(verifies_certificate_and_name),
		WITH_SINK(probe_needs_a_listener),
	};

	setenv("no_proxy", "*", 1);
	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
