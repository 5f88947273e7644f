#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sysexits.h>
#include "ph/addr.h"
#include "ph/arena.h"
#include "ph/clock.h"
#include "ph/err.h"
#include "ph/hash.h"
#include "ph/json.h"
#include "ph/utf8.h"
#include "tests/guard.h"

/* err */

static void messages_stay_on_one_line(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, PH_BAD, "uid %d: %s", 7,
				 "a\r\nb\x1b[1m"),
			 PH_BAD);
	assert_string_equal(err.text, "uid 7: a??b?[1m");
	/* 0x9b alone and U+009B start a terminal's command too; U+202E turns
	 * the text round */
	err_set(&err, PH_BAD, "%s",
		"ä\x9b"
		"2J\xc2\x9b"
		"2J\xe2\x80\xae.");
	assert_string_equal(err.text, "ä?2J??2J???.");
}

static void exit_codes_follow_the_status_unless_chosen(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, PH_FATAL, "x");
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_SOFTWARE);
	err_exit(&err, PH_FATAL, EX_CONFIG, "x");
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_CONFIG);
	assert_int_equal(err_exit_code(&err, PH_OK), 0);
	assert_int_equal(err_exit_code(NULL, PH_BAD), EX_DATAERR);
	assert_int_equal(err_exit_code(NULL, PH_RETRY), EX_TEMPFAIL);
}

/* utf8 */

static void bad_utf8_is_taken_a_byte_at_a_time(void **state)
{
	static const struct {
		const char *in;
		size_t points;
		bool valid;
	} cases[] = {
		{ "", 0, true },
		{ "a\xc2\xb1z", 3, true },
		{ "\xf0\x9f\x90\xa7", 1, true },
		{ "\xc0\x80", 2, false },	  /* overlong NUL */
		{ "\xe0\x80\xaf", 3, false },	  /* overlong slash */
		{ "\xed\xa0\x80", 3, false },	  /* surrogate */
		{ "\xf4\x90\x80\x80", 4, false }, /* over U+10FFFF */
		{ "\xe2\x82", 2, false },	  /* ends too early */
		{ "\xb1", 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice s = guard_copy(cases[i].in);

		assert_int_equal(utf8_count(s), cases[i].points);
		assert_int_equal(utf8_valid(s), cases[i].valid);
	}
}

static void cuts_end_on_a_code_point(void **state)
{
	struct slice s = guard_copy("a\xc2\xb1\xf0\x9f\x90\xa7z");

	(void)state;
	assert_int_equal(utf8_cut(s, 2).len, 1);
	assert_int_equal(utf8_cut(s, 3).len, 3);
	assert_int_equal(utf8_cut(s, 6).len, 3);
	assert_int_equal(utf8_cut(s, 99).len, 8);
	assert_int_equal(utf8_cut_points(s, 3).len, 7);
	assert_int_equal(utf8_count16(s), 5);
	assert_int_equal(utf8_cut16(s, 3).len, 3);
	assert_int_equal(utf8_cut16(s, 4).len, 7);
}

static void shown_text_has_no_controls(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b);
	utf8_put_clean(&b, guard_copy("a\nb\x7f"
				      "c\xe2\x80\xae"
				      "d\xff"
				      "e\xc2\x85"));
	assert_string_equal(buf_str(&b), "a b c d" UTF8_REPLACEMENT "e ");
	buf_release(&b);
}

/* addr */

static void addresses_by_the_strict_grammar(void **state)
{
	static const struct {
		const char *in;
		bool want;
	} cases[] = {
		{ "a@b", true },
		{ "oliver.sang@intel.com", true },
		{ "x+y=z@lists.linux.dev", true },
		{ "", false },
		{ "a", false },
		{ "@b", false },
		{ "a@", false },
		{ ".a@b", false },
		{ "a..b@c", false },
		{ "a.@b", false },
		{ "a@b@c", false },
		{ "a@-b", false },
		{ "a@b-", false },
		{ "a@b..c", false },
		{ "a@.b", false },
		{ "a@b.", false },
		{ "\"a\"@b", false },
		{ "a@[127.0.0.1]", false },
		{ "a b@c", false },
		{ "a@b\r\nRCPT TO:<x@y>", false },
		{ "a@b>", false },
		{ "\xc3\xa4@b", false },
		{ "a@b_c", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (addr_valid(guard_copy(cases[i].in)) != cases[i].want)
			fail_msg("%s", cases[i].in);
}

static void address_parts_have_ceilings(void **state)
{
	char in[400];

	(void)state;
	memset(in, 'a', sizeof(in));
	in[64] = '@';
	assert_true(addr_valid(guard_bytes(in, 66)));
	in[64] = 'a';
	in[65] = '@';
	assert_false(addr_valid(guard_bytes(in, 67)));
	memset(in, 'a', sizeof(in));
	in[1] = '@';
	assert_true(addr_valid(guard_bytes(in, 2 + 63)));
	assert_false(addr_valid(guard_bytes(in, 2 + 64)));
	for (size_t i = 2; i < sizeof(in); i += 2)
		in[i] = '.';
	in[2] = 'a';
	in[3] = 'a';
	for (size_t i = 5; i < sizeof(in); i += 2)
		in[i] = 'a';
	assert_true(addr_valid(guard_bytes(in, 2 + 254)));
	assert_false(addr_valid(guard_bytes(in, 2 + 256)));
}

static void mailboxes_with_and_without_a_name(void **state)
{
	struct slice name, address;
	struct err err;

	(void)state;
	assert_int_equal(addr_parse(guard_copy("perf herald <a@b.org>"), &name,
				    &address, &err),
			 PH_OK);
	assert_true(slice_eq(name, S("perf herald")));
	assert_true(slice_eq(address, S("a@b.org")));
	assert_int_equal(addr_parse(guard_copy("\"Q, R\" <a@b>"), &name,
				    &address, &err),
			 PH_OK);
	assert_true(slice_eq(name, S("Q, R")));
	assert_int_equal(addr_parse(guard_copy(" a@b "), &name, &address, &err),
			 PH_OK);
	assert_int_equal(name.len, 0);
	assert_int_equal(addr_parse(guard_copy("x <a@b"), &name, &address,
				    &err),
			 PH_BAD);
	assert_int_equal(addr_parse(guard_copy("x\ny <a@b>"), &name, &address,
				    &err),
			 PH_BAD);
	assert_int_equal(addr_parse(guard_copy(""), &name, &address, &err),
			 PH_BAD);
}

/* clock */

static void times_written_and_read(void **state)
{
	static const struct {
		const char *in;
		int64_t want; /* -1: refused */
	} cases[] = {
		{ "Wed, 16 Oct 2024 15:57:00 +0800", 1729065420 },
		{ "16 Oct 2024 15:57 GMT", 1729094220 },
		{ "Thu,  1 Jan 1970 00:00:00 +0000 (UTC)", 0 },
		{ "29 Feb 2023 00:00:00 +0000", -1 },
		{ "29 Feb 2024 00:00:00 -0000", 1709164800 },
		{ "1 Jan 24 00:00:00 EST", 1704085200 },
		{ "Wed, 16 Foo 2024 15:57:00 +0800", -1 },
		{ "Wed, 16 Oct 2024 25:57:00 +0800", -1 },
		{ "Wed", -1 },
		{ "", -1 },
	};
	char text[40];
	int64_t t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		t = -1;
		clock_parse_rfc5322(guard_copy(cases[i].in), &t);
		if (t != cases[i].want)
			fail_msg("%s: %lld", cases[i].in, (long long)t);
	}
	clock_rfc3339(1729094220, text);
	assert_string_equal(text, "2024-10-16T15:57:00Z");
	clock_rfc5322(1729094220, text);
	assert_string_equal(text, "Wed, 16 Oct 2024 15:57:00 +0000");
	assert_true(clock_parse_rfc3339(S("2024-10-16T23:57:00.5+08:00"), &t));
	assert_int_equal(t, 1729094220);
	assert_true(clock_parse_rfc3339(S("2024-10-16"), &t));
	assert_false(clock_parse_rfc3339(S("2024-10-16T23"), &t));
}

static void spans(void **state)
{
	static const struct {
		const char *in;
		int64_t want;
	} cases[] = {
		{ "90d", 7776000 },
		{ "8h", 28800 },
		{ "5m", 300 },
		{ "30s", 30 },
		{ "2w", 1209600 },
		{ "0", 0 },
		{ "5", -1 },
		{ "d", -1 },
		{ "5mm", -1 },
		{ "-5m", -1 },
		{ "99999999999999999999w", -1 },
		{ "", -1 },
		{ "5.5h", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t t = -1;

		clock_parse_span(guard_copy(cases[i].in), &t);
		assert_int_equal(t, cases[i].want);
	}
}

/* hash */

static void hashes_and_base64(void **state)
{
	const struct slice ab_c[] = { S("ab"), S("c") };
	const struct slice a_bc[] = { S("a"), S("bc") };
	uint8_t sum[SHA256_LEN];
	char one[65], two[65];
	struct buf b;

	(void)state;
	/* FIPS 180-2 appendix B.1; RFC 4231 test case 2 */
	hash_sha256(S("abc"), sum);
	hash_hex(sum, 4, one);
	assert_string_equal(one, "ba7816bf");
	hash_hmac_sha256(S("Jefe"), S("what do ya want for nothing?"), sum);
	hash_hex(sum, 4, one);
	assert_string_equal(one, "5bdcc146");
	hash_name(ab_c, 2, one);
	hash_name(a_bc, 2, two);
	assert_string_not_equal(one, two);

	buf_init(&b);
	base64_put(&b, S("fooba"));
	assert_string_equal(buf_str(&b), "Zm9vYmE=");
	buf_reset(&b);
	assert_true(base64_take(guard_copy("Zm9vYg=="), &b));
	assert_string_equal(buf_str(&b), "foob");
	assert_false(base64_take(guard_copy("Zm9vYh=="), &b)); /* loose bits */
	assert_false(base64_take(guard_copy("Zm9"), &b));
	assert_false(base64_take(guard_copy("Zm=v"), &b));
	assert_false(base64_take(guard_copy("===="), &b));
	buf_release(&b);
}

/* json */

static void json_is_always_valid(void **state)
{
	struct json j;
	struct buf b;

	(void)state;
	buf_init(&b);
	json_begin(&j, &b);
	json_open_object(&j, NULL);
	json_put_str(&j, "a", guard_copy("x\"\\\n\x01\xff\xc2\xb1"));
	json_put_opt(&j, "none", S(""));
	json_open_array(&j, "l");
	json_put_int(&j, NULL, -3);
	json_put_double(&j, NULL, 0.1);
	json_put_double(&j, NULL, 3.8e+98);
	json_put_null(&j, NULL);
	json_open_object(&j, NULL);
	json_close_object(&j);
	json_close_array(&j);
	json_put_bool(&j, "t", true);
	json_close_object(&j);
	assert_string_equal(buf_str(&b),
			    "{\"a\":\"x\\\"\\\\\\n\\u0001" UTF8_REPLACEMENT
			    "\xc2\xb1\",\"l\":[-3,0.1,3.8e+98,null,{}],"
			    "\"t\":true}");
	buf_release(&b);
}

/* arena */

static void arenas_hand_out_zeroed_memory_again(void **state)
{
	struct arena a;
	char *p;
	size_t kept, cap = 0;
	int *list = NULL;

	(void)state;
	arena_init(&a);
	p = arena_alloc(&a, 100);
	memset(p, 'x', 100);
	arena_alloc(&a, 5 * 1024 * 1024);
	arena_reset(&a);
	kept = a.kept;
	assert_true(kept <= 1024 * 1024);
	p = arena_alloc(&a, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	for (size_t i = 0; i < 1000; i++) {
		list = arena_grow(&a, list, &cap, i, sizeof(*list));
		list[i] = (int)i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	arena_release(&a);
	assert_int_equal(a.kept, 0);
}

static void bufs_stop_at_their_ceiling(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b);
	b.max = 5;
	buf_add_str(&b, "1234");
	assert_false(b.full);
	buf_printf(&b, "%s", "5678");
	assert_true(b.full);
	assert_string_equal(buf_str(&b), "12345");
	buf_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_stay_on_one_line),
		cmocka_unit_test(exit_codes_follow_the_status_unless_chosen),
		cmocka_unit_test(bad_utf8_is_taken_a_byte_at_a_time),
		cmocka_unit_test(cuts_end_on_a_code_point),
		cmocka_unit_test(shown_text_has_no_controls),
		cmocka_unit_test(addresses_by_the_strict_grammar),
		cmocka_unit_test(address_parts_have_ceilings),
		cmocka_unit_test(mailboxes_with_and_without_a_name),
		cmocka_unit_test(times_written_and_read),
		cmocka_unit_test(spans),
		cmocka_unit_test(hashes_and_base64),
		cmocka_unit_test(json_is_always_valid),
		cmocka_unit_test(arenas_hand_out_zeroed_memory_again),
		cmocka_unit_test(bufs_stop_at_their_ceiling),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
