#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mail/keys.h"
#include "ph/arena.h"

/*
 * A name server in a process of its own. The first letter of the name says
 * what it answers. It writes one byte a query into a pipe.
 */
static struct {
	uint16_t port;
	pid_t pid;
	int asked; /* read end */
} server;

enum { NOERROR = 0, SERVFAIL = 2, NXDOMAIN = 3 };
enum { TXT = 16, CNAME = 5 };

static void put16(struct buf *b, unsigned n)
{
	buf_add_char(b, (char)(n >> 8));
	buf_add_char(b, (char)n);
}

static void put_record(struct buf *b, unsigned type, const char *data,
		       size_t len)
{
	put16(b, 0xc00c); /* the name asked for */
	put16(b, type);
	put16(b, 1);
	put16(b, 0);
	put16(b, 600);
	put16(b, (unsigned)len);
	buf_add(b, data, len);
}

static void answer(const char *q, size_t len, struct buf *b)
{
	static const char two[] = "\x0bv=DKIM1; p=\x04QUJD";
	unsigned rcode = NOERROR, n = 0;

	buf_reset(b);
	buf_add(b, q, 2);
	switch (q[13]) {
	case 'a':
		rcode = NXDOMAIN;
		break;
	case 's':
		rcode = SERVFAIL;
		break;
	case 'c':
		n = 2;
		break;
	case 't':
	case 'l':
		n = 1;
		break;
	}
	put16(b, 0x8180 | rcode);
	put16(b, 1);
	put16(b, n);
	put16(b, 0);
	put16(b, 0);
	buf_add(b, q + 12, len - 12);
	if (q[13] == 'c')
		put_record(b, CNAME, "\xc0\x0c", 2);
	if (q[13] == 'l') /* a length over the data's end */
		put_record(b, TXT, "\x40v=DKIM1", 8);
	else if (n)
		put_record(b, TXT, two, sizeof(two) - 1);
}

static void serve(int fd, int asked)
{
	struct buf b = { 0 };
	char q[512];

	for (;;) {
		struct sockaddr_in from;
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(fd, q, sizeof(q), 0,
				     (struct sockaddr *)&from, &size);

		if (n < 17 || write(asked, "", 1) != 1)
			_exit(1);
		answer(q, (size_t)n, &b);
		sendto(fd, b.ptr, b.len, 0, (struct sockaddr *)&from, size);
	}
}

static int start_server(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ends[2];

	(void)state;
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &size) != 0 ||
	    pipe(ends) != 0)
		return -1;
	server.port = ntohs(at.sin_port);
	server.asked = ends[0];
	server.pid = fork();
	if (server.pid == 0)
		serve(fd, ends[1]);
	close(fd);
	close(ends[1]);
	return server.pid > 0 ? 0 : -1;
}

static int stop_server(void **state)
{
	(void)state;
	kill(server.pid, SIGTERM);
	waitpid(server.pid, NULL, 0);
	return close(server.asked);
}

static size_t queries(void)
{
	char all[64];
	fd_set set;
	struct timeval none = { 0, 0 };
	ssize_t n;

	FD_ZERO(&set);
	FD_SET(server.asked, &set);
	if (select(server.asked + 1, &set, NULL, NULL, &none) <= 0)
		return 0;
	n = read(server.asked, all, sizeof(all));
	assert_true(n > 0);
	return (size_t)n;
}

static enum status ask(struct keys *k, const char *selector, int64_t now,
		       struct slice *ret)
{
	struct err err;

	return keys_find(k, slice_of(selector), S("x.example"), now, ret, &err);
}

static void joins_the_strings_of_a_record(void **state)
{
	struct keys *k = keys_ask(dns_new_at(server.port));
	struct slice got;

	(void)state;
	assert_int_equal(ask(k, "txt", 1000, &got), PH_OK);
	assert_true(slice_eq(got, S("v=DKIM1; p=QUJD")));
	assert_int_equal(ask(k, "cname", 1000, &got), PH_OK);
	assert_true(slice_eq(got, S("v=DKIM1; p=QUJD")));
	assert_int_equal(ask(k, "long", 1000, &got), PH_OK);
	assert_true(slice_eq(got, S("v=DKIM1")));
	keys_free(k);
}

static void absent_is_not_silent(void **state)
{
	struct keys *k = keys_ask(dns_new_at(server.port));
	struct slice got;

	(void)state;
	assert_int_equal(ask(k, "absent", 1000, &got), PH_NONE);
	assert_int_equal(ask(k, "nodata", 1000, &got), PH_NONE);
	assert_int_equal(ask(k, "servfail", 1000, &got), PH_RETRY);
	keys_free(k);
}

static void nobody_there_means_later(void **state)
{
	struct keys *k = keys_ask(dns_new_at(1));
	struct slice got;

	(void)state;
	assert_int_equal(ask(k, "txt", 1000, &got), PH_RETRY);
	keys_free(k);
}

static void answers_are_kept(void **state)
{
	struct keys *k = keys_ask(dns_new_at(server.port));
	struct slice got;

	(void)state;
	queries();
	assert_int_equal(ask(k, "txt", 1000, &got), PH_OK);
	assert_int_equal(ask(k, "TXT", 1599, &got), PH_OK);
	assert_int_equal(queries(), 1);
	assert_int_equal(ask(k, "txt", 1600, &got), PH_OK);
	assert_int_equal(queries(), 1);

	/* absent for 300 s, silence for 30 s */
	assert_int_equal(ask(k, "absent", 1000, &got), PH_NONE);
	assert_int_equal(ask(k, "absent", 1299, &got), PH_NONE);
	assert_int_equal(queries(), 1);
	assert_int_equal(ask(k, "absent", 1300, &got), PH_NONE);
	assert_int_equal(queries(), 1);
	assert_int_equal(ask(k, "servfail", 1000, &got), PH_RETRY);
	assert_true(queries() > 0);
	assert_int_equal(ask(k, "servfail", 1029, &got), PH_RETRY);
	assert_int_equal(queries(), 0);
	assert_int_equal(ask(k, "servfail", 1030, &got), PH_RETRY);
	assert_true(queries() > 0);

	/* a clock set back does not keep it for ever */
	assert_int_equal(ask(k, "txt", 1000 - 2 * 86400, &got), PH_OK);
	assert_int_equal(queries(), 1);
	keys_free(k);
}

static void a_flood_of_names_stays_within_the_cache(void **state)
{
	struct keys *k = keys_ask(dns_new_at(server.port));
	struct slice got;
	char name[16];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		assert_int_equal(ask(k, name, 1000, &got), PH_OK);
		assert_int_equal(queries(), 1);
	}
	keys_free(k);
}

static void odd_names_are_not_asked_for(void **state)
{
	static const char *const odd[] = { "", "t x", "t\nx", "t\\x",
					   "t\xc3\xa4" };
	struct keys *k = keys_ask(dns_new_at(server.port));
	char long_name[300];
	struct slice got;

	(void)state;
	queries();
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		assert_int_equal(ask(k, odd[i], 1000, &got), PH_NONE);
	memset(long_name, 't', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(ask(k, long_name, 1000, &got), PH_NONE);
	assert_int_equal(queries(), 0);
	keys_free(k);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_the_strings_of_a_record),
		cmocka_unit_test(absent_is_not_silent),
		cmocka_unit_test(nobody_there_means_later),
		cmocka_unit_test(answers_are_kept),
		cmocka_unit_test(a_flood_of_names_stays_within_the_cache),
		cmocka_unit_test(odd_names_are_not_asked_for),
	};

	return cmocka_run_group_tests_name("dns", tests, start_server,
					   stop_server);
}
