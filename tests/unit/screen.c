#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <time.h>
#include "ph/limits.h"
#include "ph/message.h"
#include "tests/guard.h"

#define HEAD "From: a@b.c\nSubject: x\n"

static void add_times(struct buf *b, const char *str, size_t n)
{
	while (n--)
		buf_add_str(b, str);
}

/* Reads what is in *b, and empties it. */
static enum status status_of(struct buf *b, struct err *err)
{
	struct message m;
	struct arena arena;
	enum status st;

	arena_init(&arena);
	*err = (struct err){ 0 };
	st = message_read(buf_slice(b), &arena, &m, err);
	arena_release(&arena);
	buf_reset(b);
	return st;
}

static void passes(struct buf *b)
{
	struct err err;

	assert_int_equal(status_of(b, &err), PH_OK);
}

static void fails(struct buf *b, const char *want)
{
	struct err err;

	assert_int_equal(status_of(b, &err), PH_BAD);
	assert_string_equal(err.text, want);
}

static void fill_to(struct buf *b, size_t len)
{
	buf_add_str(b, HEAD "\n");
	while (len - b->len > 64)
		buf_add_str(b, "0123456789012345678901234567890123456789\n");
	while (b->len < len)
		buf_add_str(b, "x");
}

static void a_mail_has_a_size(void **state)
{
	struct buf b = { 0 };

	(void)state;
	fill_to(&b, LIMIT_MAIL);
	passes(&b);
	fill_to(&b, LIMIT_MAIL + 1);
	fails(&b, "over 8 MiB, the most a mail may have");
	buf_release(&b);
}

static void a_line_has_a_length(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, HEAD "\n");
	add_times(&b, "x", LIMIT_MAIL_LINE);
	passes(&b);
	buf_add_str(&b, HEAD "\n");
	add_times(&b, "x", LIMIT_MAIL_LINE + 1);
	fails(&b, "line 4 is over 1 MiB");
	buf_release(&b);
}

static void a_text_has_a_size(void **state)
{
	struct buf b = { 0 };

	(void)state;
	/* one byte of Latin-1 becomes two of UTF-8 */
	buf_add_str(&b, HEAD "\n");
	add_times(&b, "\xe4\xe4\xe4\xe4\xe4\xe4\xe4\n", LIMIT_TEXT / 15);
	passes(&b);
	buf_add_str(&b, HEAD "\n");
	add_times(&b, "\xe4\xe4\xe4\xe4\xe4\xe4\xe4\n", LIMIT_TEXT / 15 + 1);
	fails(&b, "text is over 8 MiB");
	buf_release(&b);
}

static void a_header_has_a_size(void **state)
{
	struct buf b = { 0 };
	size_t room = LIMIT_MAIL_HEADER - strlen(HEAD "X: \n");

	(void)state;
	buf_add_str(&b, HEAD "X: ");
	add_times(&b, "x", room);
	buf_add_str(&b, "\n\nx\n");
	passes(&b);
	buf_add_str(&b, HEAD "X: ");
	add_times(&b, "x", room + 1);
	buf_add_str(&b, "\n\nx\n");
	fails(&b, "header is over 256 KiB");
	buf_release(&b);
}

static void a_header_has_so_many_fields(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, HEAD);
	add_times(&b, "x: y\n", LIMIT_MAIL_FIELDS - 2);
	passes(&b);
	buf_add_str(&b, HEAD);
	add_times(&b, "x: y\n", LIMIT_MAIL_FIELDS - 1);
	fails(&b, "more than 1000 header fields");
	buf_release(&b);
}

static void a_mail_goes_to_so_many_people(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		buf_add_str(&b, HEAD "To: x@y.z");
		add_times(&b, ",\n a@b.c", LIMIT_PEOPLE - 2);
		buf_add_str(&b, "\nTo: nobody");
		add_times(&b, ", d@e.f", 1 + more);
		buf_add_str(&b, "\nCc: g@h.i\n\nx\n");
		if (!more)
			passes(&b);
		else
			fails(&b, "more than 500 addresses in To or Cc");
	}
	buf_release(&b);
}

static void a_mail_has_so_many_parts(void **state)
{
	static const char multi[] =
		HEAD "Content-Type: multipart/mixed; boundary=b\n\n";
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, multi);
	add_times(&b, "--b\n\nx\n", LIMIT_MAIL_PARTS);
	buf_add_str(&b, "--b--\n");
	passes(&b);
	buf_add_str(&b, multi);
	add_times(&b, "--b \r\n\nx\n", LIMIT_MAIL_PARTS + 1);
	fails(&b, "more than 200 MIME parts");
	/* lines of dashes are no parts */
	buf_add_str(&b, multi);
	add_times(&b, "-- \n---\n--bb\n--x\n", LIMIT_MAIL_PARTS);
	passes(&b);
	buf_release(&b);
}

/* The MIME library may go by either; so both are counted. */
static void a_second_content_type_hides_no_parts(void **state)
{
	static const char *const order[] = { "ab", "ba" };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		for (size_t k = 0; k < 2; k++)
			buf_printf(&b,
				   "Content-Type: multipart/mixed; "
				   "boundary=%c\n",
				   order[i][k]);
		buf_add_str(&b, HEAD "\n--a\n\nx\n--a--\n");
		add_times(&b, "--b\n\nx\n", LIMIT_MAIL_PARTS);
		fails(&b, "more than 200 MIME parts");
	}
	buf_release(&b);
}

static void add_nested(struct buf *b, size_t depth)
{
	buf_add_str(b, HEAD);
	for (size_t i = 0; i < depth; i++)
		buf_printf(b,
			   "Content-Type: multipart/mixed; boundary=b%zu\n\n"
			   "--b%zu\n",
			   i, i);
	buf_add_str(b, "\nx\n");
}

static void parts_nest_so_deep(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_nested(&b, LIMIT_MAIL_NEST);
	passes(&b);
	add_nested(&b, LIMIT_MAIL_NEST + 1);
	fails(&b, "MIME parts nested over 20 deep");
	add_nested(&b, 30000);
	fails(&b, "MIME parts nested over 20 deep");
	buf_release(&b);
}

static void forwarded_mails_nest_so_deep(void **state)
{
	static const char forward[] = "Content-Type: message/rfc822\n\n";
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, HEAD);
	add_times(&b, forward, LIMIT_MAIL_NEST);
	buf_add_str(&b, "\nx\n");
	passes(&b);
	buf_add_str(&b, HEAD);
	add_times(&b, forward, LIMIT_MAIL_NEST + 1);
	fails(&b, "MIME parts nested over 20 deep");
	buf_release(&b);
}

/* Depth is counted, not how often something nests. */
static void many_mails_beside_each_other_are_fine(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, HEAD "Content-Type: multipart/mixed; boundary=o\n\n");
	for (int i = 0; i < 50; i++)
		buf_printf(&b,
			   "--o\nContent-Type: multipart/mixed; "
			   "boundary=i%d\n\n--i%d\n\nx\n--i%d--\n",
			   i, i, i);
	buf_add_str(&b, "--o--\n");
	passes(&b);
	buf_release(&b);
}

static void parts_have_so_many_fields(void **state)
{
	static const char multi[] =
		HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n";
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, multi);
	add_times(&b, "x: y\n", LIMIT_MAIL_FIELDS);
	passes(&b);
	buf_add_str(&b, multi);
	add_times(&b, "x: y\n", LIMIT_MAIL_FIELDS + 1);
	fails(&b, "more than 1000 header fields in MIME parts");
	for (int i = 0; i < 11; i++) {
		buf_add_str(&b, i ? "\n--b\n" : multi);
		add_times(&b, "x: y\n", 999);
	}
	fails(&b, "more than 10000 header fields in MIME parts");
	buf_release(&b);
}

static void add_type(struct buf *b, size_t len)
{
	static const char type[] = "multipart/mixed; boundary=b; x=";

	buf_printf(b, HEAD "Content-Type: %s", type);
	add_times(b, "x", len - strlen(type));
	buf_add_str(b, "\n\n--b\n\nx\n");
}

static void a_type_has_a_length(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add_type(&b, LIMIT_MAIL_TYPE);
	passes(&b);
	add_type(&b, LIMIT_MAIL_TYPE + 1);
	fails(&b, "Content-Type is over 8 KiB");
	buf_release(&b);
}

/* Processor time for so many bytes of what costs the scan most. */
static clock_t scan_time(size_t len)
{
	struct buf b = { 0 };
	struct err err;
	clock_t start;

	buf_add_str(&b, HEAD "Content-Type: multipart/mixed; boundary=o\n");
	for (int i = 0; i < 190; i++)
		buf_printf(&b,
			   "\n--o\nContent-Type: multipart/mixed; "
			   "boundary=xxxxxxxxxxxxxxxxxxxxx%03d\n",
			   i);
	while (b.len < len)
		buf_add_str(&b, "--xxxxxxxxxxxxxxxxxxxxx999\n");
	start = clock();
	status_of(&b, &err);
	start = clock() - start;
	buf_release(&b);
	return start;
}

static void the_scan_is_linear(void **state)
{
	clock_t some = scan_time(2 * MIB), more = scan_time(8 * MIB - KIB);

	(void)state;
	assert_true(more < 10 * some);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mail_has_a_size),
		cmocka_unit_test(a_line_has_a_length),
		cmocka_unit_test(a_text_has_a_size),
		cmocka_unit_test(a_header_has_a_size),
		cmocka_unit_test(a_header_has_so_many_fields),
		cmocka_unit_test(a_mail_goes_to_so_many_people),
		cmocka_unit_test(a_mail_has_so_many_parts),
		cmocka_unit_test(a_second_content_type_hides_no_parts),
		cmocka_unit_test(parts_nest_so_deep),
		cmocka_unit_test(forwarded_mails_nest_so_deep),
		cmocka_unit_test(many_mails_beside_each_other_are_fine),
		cmocka_unit_test(parts_have_so_many_fields),
		cmocka_unit_test(a_type_has_a_length),
		cmocka_unit_test(the_scan_is_linear),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
