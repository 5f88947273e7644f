/* mail/html.c: what plain text is made of an HTML body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mail/html.h"
#include "tests/guard.h"

static const struct html_case {
	const char *name, *in, *want;
} cases[] = {
	{ "nothing", "", "" },
	{ "bare text", "a", "a\n" },
	{ "runs of blanks and line ends", " a \r\n\t b\n", "a b\n" },
	{ "no-break blanks stay", "a&nbsp;&nbsp; b", "a   b\n" },
	{ "preformatted", "<pre>a  b\n\tc\r\n</pre>", "a  b\n\tc\n" },
	{ "a line a paragraph", "<p>a<p>b</p><div>c</div>d", "a\nb\nc\nd\n" },
	{ "empty lines", "<div>a</div><div><br></div><div>b</div>",
	  "a\n\nb\n" },
	{ "an empty paragraph", "<p>a</p><p>&nbsp;</p><p>b</p>", "a\n \nb\n" },
	{ "break in upper case, closed at once", "a<BR/>b<br />c",
	  "a\nb\nc\n" },
	{ "spans part nothing", "a<span style='x'>b</span><b>c</b>", "abc\n" },
	{ "table cells", "<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>",
	  "a b\nc\n" },
	{ "quoted once", "<p>a</p><blockquote>b<br>c</blockquote>d",
	  "a\n> b\n> c\nd\n" },
	{ "quoted twice",
	  "<blockquote>a<blockquote>b<br><br>c</blockquote></blockquote>",
	  "> a\n> > b\n> > \n> > c\n" },
	{ "closed more often than opened", "</blockquote></pre>a  b", "a b\n" },
	{ "script, style and title",
	  "<title>x</title><style>p > b {}</style>a<SCRIPT>if (1 </ "
	  "2)</SCRIPT>b",
	  "ab\n" },
	{ "script without an end", "a<script>b", "a\n" },
	{ "comment", "a<!-- <p> -->b<!DOCTYPE html>c", "abc\n" },
	{ "comment without an end", "a<!-- b", "a\n" },
	{ "no tag", "a < b <c", "a < b <c\n" },
	{ "ends in a bracket", "a<", "a<\n" },
	{ "entities", "&lt;a&gt; &amp;&quot;&apos;&plusmn;",
	  "<a> &\"'\xc2\xb1\n" },
	{ "numbered entities", "&#177;&#xB1;&#160;&#xfffd;",
	  "\xc2\xb1\xc2\xb1 \xef\xbf\xbd\n" },
	{ "no entities", "a & b &x; &#; &#x; &#0; &#xd800; &#1114112; &lt",
	  "a & b &x; &#; &#x; &#0; &#xd800; &#1114112; &lt\n" },
	{ "control characters", "a&#10;b&#13;c&#27;d&#127;&#x0;",
	  "a&#10;b&#13;c&#27;d&#127;&#x0;\n" },
	{ "a blank before an entity", "a\n&lt;b", "a <b\n" },
};

static void check_text(void **state)
{
	const struct html_case *c = *state;
	struct buf got;

	buf_init(&got);
	html_text(guard_copy(c->in), &got);
	assert_string_equal(buf_str(&got), c->want);
	buf_release(&got);
}

/* Deeper quotes than anybody reads must not multiply the text. */
static void check_depth(void **state)
{
	struct buf in, got;

	(void)state;
	buf_init(&in);
	buf_init(&got);
	for (int i = 0; i < 1000; i++)
		buf_add_str(&in, "<blockquote>");
	buf_add_str(&in, "a");
	html_text(buf_slice(&in), &got);
	assert_string_equal(buf_str(&got), "> > > > > > > > a\n");
	buf_release(&in);
	buf_release(&got);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + 1];
	size_t n = 0;

	for (; n < ARRAY_LEN(cases); n++)
		tests[n] = (struct CMUnitTest){ .name = cases[n].name,
						.test_func = check_text,
						.initial_state =
							(void *)&cases[n] };
	tests[n++] = (struct CMUnitTest){ .name = "deep quotes",
					  .test_func = check_depth };
	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
