#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "ph/message.h"
#include "tests/guard.h"
#include "tests/table.h"

#define HEAD  "From: kernel test robot <lkp@intel.com>\nSubject: x\n"
#define PLAIN "Content-Type: text/plain; charset="

/* The text of a mail, or why it is none. */
static struct text_case {
	const char *name, *in, *text, *bad;
} text_cases[] = {
	{ "no MIME", HEAD "\none\ntwo\n", "one\ntwo\n", NULL },
	{ "CR LF", "From: a@b.c\r\nSubject: x\r\n\r\none\r\ntwo\r\n",
	  "one\ntwo\n", NULL },
	{ "CR CR LF of a careless relay", HEAD "\none\r\r\ntwo\r\n",
	  "one\ntwo\n", NULL },
	{ "CR alone", HEAD "\n10%\r20%\r\rend\r", "10%\n20%\n\nend\n", NULL },
	{ "an mbox's From line in front",
	  "From lkp Mon Jan  1 00:00:00 2024\n" HEAD "\nhi\n", "hi\n", NULL },
	{ "header ended by a line that is no field", HEAD "hello there\n",
	  "hello there\n", NULL },
	{ "no body", HEAD, "", NULL },
	{ "UTF-8 labelled us-ascii", HEAD PLAIN "us-ascii\n\n1 \xc2\xb1 2\n",
	  "1 \xc2\xb1 2\n", NULL },
	{ "UTF-8 labelled iso-8859-1",
	  HEAD PLAIN "\"iso-8859-1\"\n\n1 \xc2\xb1 2\n", "1 \xc2\xb1 2\n",
	  NULL },
	{ "Latin-1 as 8 bits", HEAD PLAIN "iso-8859-1\n\n1 \xb1 2\n",
	  "1 \xc2\xb1 2\n", NULL },
	{ "Latin-1 without a label", HEAD "\n1 \xb1 2\n", "1 \xc2\xb1 2\n",
	  NULL },
	{ "cp1252", HEAD PLAIN "windows-1252\n\n\x93x\x94 \x81\n",
	  "\xe2\x80\x9cx\xe2\x80\x9d \xef\xbf\xbd\n", NULL },
	{ "Latin-9", HEAD PLAIN "ISO-8859-15\n\n\xa4 \xb1\n",
	  "\xe2\x82\xac \xc2\xb1\n", NULL },
	{ "unknown-8bit", HEAD PLAIN "unknown-8bit\n\n\xb1\n", "\xc2\xb1\n",
	  NULL },
	{ "a label nobody knows", HEAD PLAIN "x-nonsense\n\n\xb1\n",
	  "\xc2\xb1\n", NULL },
	{ "bad bytes in UTF-8", HEAD PLAIN "utf-8\n\na\xb1 \xc2\xb1 \xc2",
	  "a\xef\xbf\xbd \xc2\xb1 \xef\xbf\xbd", NULL },
	{ "quoted-printable",
	  HEAD PLAIN "utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
		     "1.99 =C2=B1  7%    =\n -5.0%\n=3D=3D\n",
	  "1.99 \xc2\xb1  7%     -5.0%\n==\n", NULL },
	{ "a decoded NUL",
	  HEAD "Content-Transfer-Encoding: quoted-printable\n\na=00b\n",
	  "a\xef\xbf\xbd"
	  "b\n",
	  NULL },
	{ "base64",
	  HEAD PLAIN "iso-8859-1\nContent-Transfer-Encoding: BASE64\n"
		     "\nb25lDQoxILEg\r\nMg0K\n",
	  "one\n1 \xc2\xb1 2\n", NULL },
	{ "only HTML", HEAD "Content-Type: text/html\n\n<p>x\n", "x\n", NULL },
	{ "plain text before HTML, in whatever order",
	  HEAD "Content-Type: multipart/mixed; boundary=b\n\n"
	       "--b\nContent-Type: text/html\n\n<p>x\n"
	       "--b\n\nplain\n--b--\n",
	  "plain", NULL },
	{ "an empty text before HTML",
	  HEAD "Content-Type: multipart/alternative; boundary=b\n\n"
	       "--b\n\n \n--b\nContent-Type: text/html\n\n<p>x\n--b--\n",
	  " \nx\n", NULL },
	{ "HTML in Latin-1, quoted-printable",
	  HEAD "Content-Type: text/html; charset=iso-8859-1\n"
	       "Content-Transfer-Encoding: quoted-printable\n"
	       "\n1&nbsp;=B1 =\n2%<br>\n",
	  "1 \xc2\xb1 2%\n", NULL },
	{ "an attachment alone",
	  HEAD "Content-Type: text/plain\n"
	       "Content-Disposition: attachment; filename=x\n\nx\n",
	  "x\n", NULL },
	{ "an attachment behind an empty text",
	  HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n"
	       "\n--b\nContent-Disposition: attachment\n\nx\n--b--\n",
	  "x", NULL },
	{ "an attachment that is no text",
	  HEAD "Content-Type: application/pdf\n"
	       "Content-Disposition: attachment\n\nx\n",
	  "", NULL },
	{ "attached HTML alone",
	  HEAD "Content-Type: text/html\n"
	       "Content-Disposition: attachment\n\n<p>x\n",
	  "", NULL },
	{ "soft breaks with blanks behind",
	  HEAD "Content-Transfer-Encoding: quoted-printable\n"
	       "\none =20=\n= \t\r\ntwo= \nthree  \n",
	  "one  twothree\n", NULL },
	{ "attachments and a footer",
	  HEAD "Content-Type: multipart/mixed; boundary=\"=_b\"\n\nskip\n"
	       "--=_b\n" PLAIN "us-ascii\nContent-Disposition: inline\n\nbody\n"
	       "--=_b\nContent-Type: text/plain\n"
	       "Content-Disposition: ATTACHMENT; filename=job.yaml\n\njob: 1\n"
	       "--=_b\nContent-Type: application/x-xz\n\nxz\n"
	       "--=_b\n\nfooter\n--=_b--\nskip\n",
	  "body\nfooter", NULL },
	{ "alternative: plain",
	  HEAD "Content-Type: multipart/alternative; boundary=b\n\n"
	       "--b\n\nplain\n--b\nContent-Type: text/html\n\n<p>\n"
	       "--b\n\nanother\n--b--\n",
	  "plain", NULL },
	{ "alternative: plain behind HTML",
	  HEAD "Content-Type: multipart/alternative; boundary=b\n\n"
	       "--b\nContent-Type: text/html\n\n<p>\n--b\n\nplain\n--b--\n",
	  "plain", NULL },
	{ "multipart in multipart",
	  HEAD "Content-Type: multipart/mixed; boundary=a\n\n--a\n"
	       "Content-Type: multipart/signed; boundary=b\n\n--b\n\none\n"
	       "--b\nContent-Type: application/pgp-signature\n\nsig\n--b--\n"
	       "--a\n\ntwo\n--a--\n",
	  "one\ntwo", NULL },
	{ "a forwarded mail",
	  HEAD "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nsee below\n"
	       "--a\nContent-Type: message/rfc822\n\n"
	       "From: x@y.z\nSubject: inner\n" PLAIN "iso-8859-1\n\n1 \xb1 2\n"
	       "--a--\n",
	  "see below\n1 \xc2\xb1 2", NULL },
	{ "a mail that is a forwarded mail",
	  HEAD "Content-Type: message/rfc822\n\nFrom: x@y.z\n\ninner\n",
	  "inner\n", NULL },
	{ "an unterminated multipart",
	  HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n",
	  "hello\n", NULL },
	{ "a boundary that is a quote",
	  HEAD "Content-Type: multipart/mixed; boundary=\"\\\"\"\n\n"
	       "--\"\n\nhello\n--\"--\n",
	  "hello", NULL },
	{ "a boundary in pieces",
	  HEAD "Content-Type: multipart/mixed; boundary*0=ab; boundary*1=cd\n\n"
	       "--abcd\n\nhello\n--abcd--\n",
	  "hello", NULL },
	{ "a multipart that names no boundary",
	  HEAD "Content-Type: multipart/mixed\n\nhello\n", "hello\n", NULL },
	{ "a type that is none", HEAD "Content-Type: text\n\nhello\n",
	  "hello\n", NULL },

	{ "nothing", "", NULL, "empty" },
	{ "only blanks", " \n\r\n\t\n", NULL, "empty" },
	{ "a NUL byte", HEAD "\na", NULL,
	  "not a mail: a NUL byte at offset 53" },
	{ "prose", "Dear all,\n\nplease note: this is no report.\n", NULL,
	  "not a mail: neither header fields nor the text of a report" },
	{ "fields that no mail has", "commit: 1\nurl: 2\n\nx\n", NULL,
	  "not a mail: neither header fields nor the text of a report" },
};

static void check_text(void **state)
{
	const struct text_case *c = *state;
	/* The one case with a NUL ends in it. */
	size_t nul = c->bad && strstr(c->bad, "NUL") != NULL;
	struct slice raw = guard_bytes(c->in, strlen(c->in) + nul);
	struct message m;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	if (c->bad) {
		assert_int_equal(message_read(raw, &arena, &m, &err), PH_BAD);
		assert_string_equal(err.text, c->bad);
	} else {
		assert_int_equal(message_read(raw, &arena, &m, &err), PH_OK);
		assert_string_equal(arena_str(&arena, m.text), c->text);
	}
	arena_release(&arena);
}

struct mail {
	struct arena arena;
	struct message m;
};

static struct mail read_mail(const char *header)
{
	struct mail ret;
	struct err err;

	arena_init(&ret.arena);
	assert_int_equal(message_read(guard_copy(header), &ret.arena, &ret.m,
				      &err),
			 PH_OK);
	return ret;
}

#define assert_slice(s, want)                                \
	do {                                                 \
		assert_int_equal((s).len, strlen(want));     \
		assert_memory_equal((s).ptr, want, (s).len); \
	} while (0)

/* Subjects, which hold all that header text can be. */
static struct subject_case {
	const char *name, *in, *want;
} subject_cases[] = {
	{ "folded, blanks squeezed",
	  "[linus:master] [mm]  0123456789:\r\n\tvm-scalability  -1.0%  ",
	  "[linus:master] [mm] 0123456789: vm-scalability -1.0%" },
	{ "a Q word", "=?iso-8859-1?Q?=B1_a=5Fb?=", "\xc2\xb1 a_b" },
	{ "a B word", "x =?UTF-8?b?w6TDtg==?= y", "x \xc3\xa4\xc3\xb6 y" },
	{ "two words, blank between them dropped",
	  "=?utf-8?q?a?=\n =?utf-8?q?b?= c", "ab c" },
	{ "a character broken over two words",
	  "=?utf-8?q?=C3?= =?utf-8?q?=A4?=", "\xc3\xa4" },
	{ "words of two charsets",
	  "=?utf-8?q?=C3=A4?= =?latin1?q?=E4?=", "\xc3\xa4\xc3\xa4" },
	{ "a language", "=?utf-8*de?q?=C3=A4?=", "\xc3\xa4" },
	{ "blanks in Q text", "=?utf-8?Q?a b?=", "a b" },
	{ "no word: unknown encoding", "=?utf-8?x?a?=", "=?utf-8?x?a?=" },
	{ "no word: not ended", "=?utf-8?q?a", "=?utf-8?q?a" },
	{ "= without digits", "=?utf-8?q?a=b=4?=", "a=b=4" },
	{ "raw UTF-8", "\xc3\xa4", "\xc3\xa4" },
	{ "raw Latin-1", "\xe4", "\xc3\xa4" },
	{ "control characters", "a=?utf-8?q?=00=0A=1B[1m=E2=80=AE?=b",
	  "a\xef\xbf\xbd [1m b" },
	{ "empty", "", "" },
};

static void check_subject(void **state)
{
	const struct subject_case *c = *state;
	char raw[512];
	struct mail got;

	snprintf(raw, sizeof(raw), "From: a@b.c\nSubject: %s\n\n", c->in);
	got = read_mail(raw);
	assert_slice(got.m.subject, c->want);
	arena_release(&got.arena);
}

/* The people of a To field, as "name|address," each. */
static struct people_case {
	const char *name, *in, *want;
} people_cases[] = {
	{ "bare addresses", "a@b.c,d@e.f", "|a@b.c,|d@e.f," },
	{ "names", "A B <a@b.c>, \"Q, R\" <q@r.s>", "A B|a@b.c,Q, R|q@r.s," },
	{ "escapes in a quoted name", "\"a \\\"b\\\" \\\\c\" <a@b.c>",
	  "a \"b\" \\c|a@b.c," },
	{ "an encoded name", "=?utf-8?q?J=C3=BCrgen?= <a@b.c>",
	  "J\xc3\xbcrgen|a@b.c," },
	{ "a comment for a name", "a@b.c (A, B)", "A, B|a@b.c," },
	{ "an empty group", "undisclosed-recipients:;", "" },
	{ "a group", "us: a@b.c, D <d@e.f>;, g@h.i", "|a@b.c,D|d@e.f,|g@h.i," },
	{ "no address at all", "hello, <>, <a b@c.d>, x@y@z", "" },
	{ "an injected line", "<a@b.c\r\n DATA>", "" },
	{ "an injected command", "<a@b.c>\r\n RCPT TO:<d@e.f>", "" },
	{ "two addresses in one", "<a@b.c> <d@e.f>, g@h.i", "|g@h.i," },
	{ "words behind an address", "<a@b.c> d@e.f", "" },
	{ "a comment behind an address", "A <a@b.c> (new)", "A|a@b.c," },
	{ "brackets in a quoted name", "\"A <x>\" <a@b.c>", "A <x>|a@b.c," },
	{ "a source route", "<@x.y:a@b.c>", "" },
	{ "a quote that does not end", "\"a <a@b.c>, d@e.f", "" },
	{ "a masked domain", "<oliver.sang@xxxxxxxxx>",
	  "|oliver.sang@xxxxxxxxx," },
};

static void check_people(void **state)
{
	const struct people_case *c = *state;
	struct buf all = { 0 };
	char raw[512];
	struct mail got;

	snprintf(raw, sizeof(raw), "From: a@b.c\nTo: %s\n\n", c->in);
	got = read_mail(raw);
	for (size_t i = 0; i < got.m.n_to; i++)
		buf_printf(&all, "%.*s|%.*s,", S_FMT(got.m.to[i].name),
			   S_FMT(got.m.to[i].address));
	assert_string_equal(buf_str(&all), c->want);
	buf_release(&all);
	arena_release(&got.arena);
}

static void reads_every_field(void **state)
{
	struct mail got = read_mail(
		"Return-Path: <lkp@intel.com>\n"
		"Received: from a by b; Fri, 17 May 2024 06:07:08 +0200 "
		"(CEST)\n"
		"Received: from c by d; Fri, 17 May 2024 01:00:00 +0000\n"
		"Message-ID:\n <202405171353.b56b845-oliver.sang@intel.com>\n"
		"DATE: Fri, 17 May 2024 13:53:00 +0800\n"
		"From: kernel test robot <oliver.sang@intel.com>\n"
		"To: A <a@b.c>\n"
		"Cc: <d@e.f>, g@h.i\n"
		"In-Reply-To: <x@y> (a comment)\n"
		"References: <one@y>\n <two@y> junk <bad id@y>\n"
		"List-Id: the list <oe-lkp.lists.linux.dev>\n"
		"Subject: s\n\n");
	const struct message *m = &got.m;

	(void)state;
	assert_slice(m->id, "202405171353.b56b845-oliver.sang@intel.com");
	assert_slice(m->from.name, "kernel test robot");
	assert_slice(m->from.address, "oliver.sang@intel.com");
	assert_int_equal(m->n_from, 1);
	assert_int_equal(m->n_to, 1);
	assert_int_equal(m->n_cc, 2);
	assert_slice(m->cc[1].address, "g@h.i");
	assert_int_equal(m->date, 1715925180);
	assert_int_equal(m->received, 1715918828);
	assert_slice(m->in_reply_to, "x@y");
	assert_int_equal(m->n_references, 2);
	assert_slice(m->references[1], "two@y");
	assert_slice(m->list, "oe-lkp.lists.linux.dev");
	assert_slice(m->subject, "s");
	assert_false(m->automatic || m->bounce || m->bare);
	arena_release(&got.arena);
}

static void absent_fields_are_empty(void **state)
{
	struct mail got = read_mail("Subject: s\nMessage-ID: none\n"
				    "Date: yesterday\n\nx\n");

	(void)state;
	assert_int_equal(got.m.id.len, 0);
	assert_int_equal(got.m.n_from, 0);
	assert_int_equal(got.m.from.address.len, 0);
	assert_int_equal(got.m.date, 0);
	assert_int_equal(got.m.received, 0);
	arena_release(&got.arena);
}

static void counts_every_from(void **state)
{
	struct mail got = read_mail("From: a@b.c, nobody\nX: y\n"
				    "FROM : d@e.f\n\nx\n");

	(void)state;
	assert_int_equal(got.m.n_from, 3);
	assert_slice(got.m.from.address, "a@b.c");
	arena_release(&got.arena);
}

static void knows_automatic_mail(void **state)
{
	static const struct {
		const char *field;
		bool automatic, bounce;
	} cases[] = {
		{ "Auto-Submitted: no", false, false },
		{ "Auto-Submitted: NO ; x", false, false },
		{ "Auto-Submitted: auto-replied", true, false },
		{ "Auto-Submitted: normal", true, false },
		{ "Return-Path: <>", true, false },
		{ "Return-Path: <a@b.c>", false, false },
		{ "X-Perfherald: notice", true, false },
		{ "X-Perfherald-Channel: mm", true, false },
		{ "Precedence: bulk", false, false },
		{ "Content-Type: multipart/report; boundary=b;\n"
		  " report-type=\"delivery-status\"",
		  false, true },
		{ "Content-Type: multipart/report; boundary=b;\n"
		  " report-type=disposition-notification",
		  false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char raw[256];
		struct mail got;

		snprintf(raw, sizeof(raw), "From: a@b.c\n%s\n\nx\n",
			 cases[i].field);
		got = read_mail(raw);
		assert_int_equal(got.m.automatic, cases[i].automatic);
		assert_int_equal(got.m.bounce, cases[i].bounce);
		arena_release(&got.arena);
	}
}

static void reads_pasted_reports(void **state)
{
	static const char tail[] = "\n\nkernel test robot noticed a 5.0% "
				   "regression of x.y on:\n";
	static const struct {
		const char *first, *subject;
	} cases[] = {
		{ "[linus:master] [mm]  0123456789: x.y 5.0% regression",
		  "[linus:master] [mm] 0123456789: x.y 5.0% regression" },
		{ "\n \n0123456789: x.y 5.0% regression\r",
		  "0123456789: x.y 5.0% regression" },
		{ "Re: [PATCH 1/2] mm: x", "Re: [PATCH 1/2] mm: x" },
		{ "Hello,", "" },
		{ "=====", "" },
		{ "012345: x", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char raw[256];
		struct mail got;

		snprintf(raw, sizeof(raw), "%s%s", cases[i].first, tail);
		got = read_mail(raw);
		assert_true(got.m.bare);
		assert_slice(got.m.subject, cases[i].subject);
		assert_non_null(slice_find(got.m.text, slice_of(tail)));
		arena_release(&got.arena);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(reads_every_field),
		cmocka_unit_test(absent_fields_are_empty),
		cmocka_unit_test(counts_every_from),
		cmocka_unit_test(knows_automatic_mail),
		cmocka_unit_test(reads_pasted_reports),
	};
	struct CMUnitTest tests[ARRAY_LEN(text_cases) +
				ARRAY_LEN(subject_cases) +
				ARRAY_LEN(people_cases) + ARRAY_LEN(others)];
	size_t n = 0;

	TABLE_ADD(tests, n, text_cases, name, check_text);
	TABLE_ADD(tests, n, subject_cases, name, check_subject);
	TABLE_ADD(tests, n, people_cases, name, check_people);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		tests[n++] = others[i];
	return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
