#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "notify/letter.h"
#include "tests/table.h"

static struct arena arena;

static const struct config_smtp smtp = {
	.from = "perfherald <bot@example.org>",
	.from_name = "perfherald",
	.from_address = "bot@example.org",
};

static struct notice sample(void)
{
	return (struct notice){
		.kind = NOTICE_OPERATOR,
		.key = S("aa"),
		.made = 1715942400,
		.title = S("mm: make it fast"),
		.report_id = S("202405171353.b56b845-lkp@intel.com"),
	};
}

static struct slice render_from(const struct config_smtp *from,
				const struct notice *n, struct slice subject,
				struct slice body)
{
	struct parcel p;
	struct err err;

	if (letter_render(from, S("dev@example.org"), n, subject, body, &arena,
			  &p, &err) != PH_OK)
		fail_msg("%s", err.text);
	return p.body;
}

static struct slice render(const struct notice *n, struct slice subject,
			   struct slice body)
{
	return render_from(&smtp, n, subject, body);
}

static struct slice header_of(struct slice mail)
{
	const char *end = slice_find(mail, S("\r\n\r\n"));

	assert_non_null(end);
	return slice_between(mail.ptr, end + 2);
}

static struct slice body_of(struct slice mail)
{
	struct slice header = header_of(mail);

	return slice_from(mail, header.len + 2);
}

/* The field with its folds, without its name; it must be there once. */
static struct slice field(struct slice mail, struct slice name)
{
	struct slice rest = header_of(mail), line, ret = { NULL, 0 };
	bool inside = false;

	while (slice_take_line(&rest, &line)) {
		if (line.len && is_blank(line.ptr[0])) {
			if (inside)
				ret.len =
					(size_t)(line.ptr + line.len - ret.ptr);
			continue;
		}
		inside = slice_starts(line, name) && line.ptr[name.len] == ':';
		if (!inside)
			continue;
		assert_null(ret.ptr);
		ret = slice_from(line, name.len + 2);
	}
	return ret;
}

/* What every mail of ours keeps: CR LF only, ASCII only, short lines. */
static void check_lawful(struct slice mail)
{
	size_t column = 0, longest = 0, head = header_of(mail).len;

	for (size_t i = 0; i < mail.len; i++) {
		unsigned char c = (unsigned char)mail.ptr[i];

		assert_true(c < 0x7f);
		if (c == '\r')
			assert_int_equal(mail.ptr[i + 1], '\n');
		else if (c == '\n')
			assert_int_equal(mail.ptr[i - 1], '\r');
		else
			assert_true(c >= ' ' || c == '\t');
		column = c == '\n' ? 0 : column + 1;
		longest = column > longest ? column : longest;
		assert_true(column <= (i < head ? 201 : 202));
	}
	assert_int_equal(mail.ptr[mail.len - 1], '\n');
}

static void has_the_fields_of_an_automatic_mail(void **state)
{
	struct notice n = sample();
	struct slice mail = render(&n, S(""), S(""));
	static const struct {
		const char *name, *want;
	} fields[] = {
		{ "From", "perfherald <bot@example.org>" },
		{ "To", "dev@example.org" },
		{ "Subject", "[perfherald] mm: make it fast" },
		{ "Date", "Fri, 17 May 2024 10:40:00 +0000" },
		{ "In-Reply-To", "<202405171353.b56b845-lkp@intel.com>" },
		{ "References", "<202405171353.b56b845-lkp@intel.com>" },
		{ "Auto-Submitted", "auto-generated" },
		{ "X-Patchwork-Hint", "ignore" },
		{ "X-Perfherald", "notice" },
		{ "MIME-Version", "1.0" },
		{ "Content-Type", "text/plain; charset=utf-8" },
		{ "Content-Transfer-Encoding", "7bit" },
	};

	(void)state;
	check_lawful(mail);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		struct slice got = field(mail, slice_of(fields[i].name));

		if (!slice_eq(got, slice_of(fields[i].want)))
			fail_msg("%s: %.*s", fields[i].name, S_FMT(got));
	}
}

static void same_row_same_bytes_other_key_other_id(void **state)
{
	struct notice n = sample();
	struct slice a = render(&n, S(""), S("x\n"));
	struct slice b = render(&n, S(""), S("x\n"));
	struct slice id = field(a, S("Message-ID"));

	(void)state;
	assert_true(slice_eq(a, b));
	assert_true(slice_ends(id, S("@example.org>")));
	n.key = S("ab");
	b = render(&n, S(""), S("x\n"));
	assert_false(slice_eq(id, field(b, S("Message-ID"))));
}

static void updates_reply_to_the_first_notice(void **state)
{
	struct notice n = sample();
	struct slice mail;

	(void)state;
	n.kind = NOTICE_UPDATE;
	n.thread = S("0123abcd@example.org");
	mail = render(&n, S(""), S("x\n"));
	assert_true(slice_eq(field(mail, S("In-Reply-To")),
			     S("<0123abcd@example.org>")));
	assert_true(slice_eq(field(mail, S("References")),
			     S("<0123abcd@example.org>")));
}

static void an_answer_says_it_is_one(void **state)
{
	struct notice n = sample();

	(void)state;
	n.kind = NOTICE_ANSWER;
	assert_true(slice_eq(field(render(&n, S(""), S("x\n")),
				   S("Auto-Submitted")),
			     S("auto-replied")));
}

static const char *const bad_ids[] = {
	"",	 "a",	    "@",     "a@",
	"@b",	 "a b@c",   "a@b@c", "a@b>\r\nBcc: <x@y",
	"a\n@b", "a@b\x7f", "<a@b>", "ü@b",
};

static void an_unusable_id_is_left_out(void **state)
{
	struct notice n = sample();
	struct slice mail;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad_ids); i++) {
		n.report_id = slice_of(bad_ids[i]);
		mail = render(&n, S(""), S("x\n"));
		check_lawful(mail);
		assert_null(field(mail, S("In-Reply-To")).ptr);
		assert_null(field(mail, S("References")).ptr);
	}
}

static void a_title_cannot_add_a_field(void **state)
{
	struct notice n = sample();
	struct slice mail;

	(void)state;
	n.title = S("x\r\nBcc: <v@example.org>\r\n\r\nbody\0y");
	mail = render(&n, S(""), S("x\n"));
	check_lawful(mail);
	assert_null(field(mail, S("Bcc")).ptr);
	assert_true(slice_eq(field(mail, S("Subject")),
			     S("[perfherald] x Bcc: <v@example.org> body y")));
}

static const struct subject_case {
	const char *name, *in, *want;
} subjects[] = {
	{ "folds at blanks",
	  "WORSE 11.9% will-it-scale.per_process_ops: memcg: keep the counters "
	  "in one array",
	  "WORSE 11.9% will-it-scale.per_process_ops: memcg: keep the\r\n "
	  "counters in one array" },
	{ "other letters are encoded", "größer", "=?UTF-8?B?Z3LDtsOfZXI=?=" },
	{ "what looks encoded is encoded", "a =?x?= b",
	  "=?UTF-8?B?YSA9P3g/PSBi?=" },
	{ "encoded words end between code points",
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé",
	  "=?UTF-8?B?YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh?="
	  "\r\n =?UTF-8?B?w6k=?=" },
	{ "blanks are squeezed", "a   b\t c", "a b c" },
	{ "a first word that is too long for the line stays on it",
	  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	  "xx"
	  "xxxx b",
	  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	  "xx"
	  "xxxx\r\n b" },
};

static void check_subject(void **state)
{
	const struct subject_case *c = *state;
	struct notice n = sample();
	struct slice mail = render(&n, slice_of(c->in), S("x\n"));
	struct slice got = field(mail, S("Subject"));

	check_lawful(mail);
	if (!slice_eq(got, slice_of(c->want)))
		fail_msg("%.*s", S_FMT(got));
}

static void a_huge_word_is_encoded(void **state)
{
	struct notice n = sample();
	char word[2001];
	struct slice mail;

	(void)state;
	memset(word, 'x', 2000);
	word[2000] = '\0';
	mail = render(&n, slice_of(word), S("x\n"));
	check_lawful(mail);
	assert_true(slice_starts(field(mail, S("Subject")), S("=?UTF-8?B?")));
}

static const struct from_case {
	const char *name, *from_name, *want;
} froms[] = {
	{ "no name", NULL, "bot@example.org" },
	{ "plain name", "perf herald", "perf herald <bot@example.org>" },
	{ "specials are quoted", "perf (herald), \"bot\"",
	  "\"perf (herald), \\\"bot\\\"\" <bot@example.org>" },
	{ "other letters are encoded", "Jürg",
	  "=?UTF-8?B?SsO8cmc=?= <bot@example.org>" },
};

static void check_from(void **state)
{
	const struct from_case *c = *state;
	struct config_smtp from = smtp;
	struct notice n = sample();
	struct slice got;

	from.from_name = c->from_name;
	got = field(render_from(&from, &n, S(""), S("x\n")), S("From"));
	if (!slice_eq(got, slice_of(c->want)))
		fail_msg("%.*s", S_FMT(got));
}

static const struct body_case {
	const char *name, *in, *encoding, *want;
} bodies[] = {
	{ "ASCII goes as it is", "a\n-- \nb\n", "7bit", "a\r\n-- \r\nb\r\n" },
	{ "the last line gets its end", "a", "7bit", "a\r\n" },
	{ "control characters go",
	  "a\x07"
	  "b\n",
	  "7bit", "ab\r\n" },
	{ "a dot is libcurl's to stuff", ".\nb\n", "7bit", ".\r\nb\r\n" },
	{ "other letters", "é=\n", "quoted-printable", "=C3=A9=3D\r\n" },
	{ "a blank at the end is kept", "é \n-- \n", "quoted-printable",
	  "=C3=A9=20\r\n--=20\r\n" },
	{ "From at a line's start", "From me\n", "quoted-printable",
	  "=46rom me\r\n" },
	{ "a long line is broken softly",
	  "éaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aab"
	  "\n",
	  "quoted-printable",
	  "=C3="
	  "A9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aaaaa=\r\nb\r\n" },
	{ "bad UTF-8 becomes the replacement", "\xff\n", "quoted-printable",
	  "=EF=BF=BD\r\n" },
};

static void check_body(void **state)
{
	const struct body_case *c = *state;
	struct notice n = sample();
	struct slice mail = render(&n, S(""), slice_of(c->in));
	struct slice got = body_of(mail);

	check_lawful(mail);
	assert_true(slice_eq(field(mail, S("Content-Transfer-Encoding")),
			     slice_of(c->encoding)));
	if (!slice_eq(got, slice_of(c->want)))
		fail_msg("%.*s", S_FMT(got));
}

static void a_bad_address_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"dev",
		"dev@example.org\r\nBcc: x@y",
		"a b@example.org",
		"<dev@example.org>",
		"dev@example.org,x@example.org",
	};
	struct notice n = sample();
	struct parcel p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(letter_render(&smtp, slice_of(bad[i]), &n,
					       S(""), S(""), &arena, &p, &err),
				 PH_BAD);
}

/* Titles of random bytes never break a rule. */
static void random_bytes_never_break_it(void **state)
{
	struct notice n = sample();
	unsigned seed = 7;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		char title[300];
		size_t len = (size_t)rand_r(&seed) % sizeof(title);

		for (size_t k = 0; k < len; k++)
			title[k] = (char)(rand_r(&seed) % 256);
		n.title = (struct slice){ title, len };
		n.report_id = n.title;
		check_lawful(render(&n, S(""), S("")));
		check_lawful(render(&n, n.title, n.title));
		arena_reset(&arena);
	}
}

int main(void)
{
	static const struct CMUnitTest alone[] = {
		cmocka_unit_test(has_the_fields_of_an_automatic_mail),
		cmocka_unit_test(same_row_same_bytes_other_key_other_id),
		cmocka_unit_test(updates_reply_to_the_first_notice),
		cmocka_unit_test(an_answer_says_it_is_one),
		cmocka_unit_test(an_unusable_id_is_left_out),
		cmocka_unit_test(a_title_cannot_add_a_field),
		cmocka_unit_test(a_huge_word_is_encoded),
		cmocka_unit_test(a_bad_address_is_refused),
		cmocka_unit_test(random_bytes_never_break_it),
	};
	struct CMUnitTest tests[64];
	size_t n = ARRAY_LEN(alone);
	int failed;

	arena_init(&arena);
	memcpy(tests, alone, sizeof(alone));
	TABLE_ADD(tests, n, subjects, name, check_subject);
	TABLE_ADD(tests, n, froms, name, check_from);
	TABLE_ADD(tests, n, bodies, name, check_body);
	failed = _cmocka_run_group_tests("letter", tests, n, NULL, NULL);
	arena_release(&arena);
	return failed;
}
