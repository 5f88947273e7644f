#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>
#include "notify/site/markup.h"
#include "ph/site.h"
#include "tests/guard.h"
#include "tests/table.h"

/* What mails say, as the pages of the site write it. */

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct text_case {
	const char *in, *want;
} texts[] = {
	{ "plain", "plain" },
	{ "", "" },
	{ "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d" },
	{ "\"x\" 'y'", "&quot;x&quot; &#39;y&#39;" },
	{ "<script>alert(1)</script>",
	  "&lt;script&gt;alert(1)&lt;/script&gt;" },
	{ "\"><img src=x onerror=alert(1)>",
	  "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" },
	{ "]]>", "]]&gt;" },
	{ "<!-- x -->", "&lt;!-- x --&gt;" },
	{ "&lt;", "&amp;lt;" },
	{ "&#x3c;", "&amp;#x3c;" },
	{ "a\nb\tc\r\x1b[31m\x7f", "a b c  [31m " },
	{ "\x01", " " },
	{ "\xc2\x85\xe2\x80\xa8\xe2\x80\xae", "   " },
	{ "bad \xff\xc0\xaf\xed\xa0\x80",
	  "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
	  "\xef\xbf\xbd" },
	/* no characters: U+FFFE, U+FFFF, U+FDD0, U+1FFFE */
	{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xb7\x90\xf0\x9f\xbf\xbe",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xc3\xa4 \xe2\x9c\x93 \xf0\x9f\x9a\x80",
	  "\xc3\xa4 \xe2\x9c\x93 \xf0\x9f\x9a\x80" },
	/* UTF-7 is no way in */
	{ "+ADw-script+AD4-", "+ADw-script+AD4-" },
};

static void text_is_never_markup(void **state)
{
	const struct text_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_text(&b, guard_copy(c->in));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static struct link_case {
	const char *url;
	bool linked;
} links[] = {
	{ "https://lore.kernel.org/r/a@b", true },
	{ "http://example.org/?a=b&c=d", true },
	{ "javascript:alert(1)", false },
	{ "JaVaScRiPt:alert(1)", false },
	{ "data:text/html,<script>", false },
	{ "//example.org/", false },
	{ "/etc/passwd", false },
	{ "file:///etc/passwd", false },
	{ "vbscript:x", false },
	{ " https://example.org/", false },
	{ "https://example.org/ onclick=x", false },
	{ "https://example.org/\" onclick=\"x", false },
	{ "https://example.org/<b>", false },
	{ "https://example.org/\x01", false },
	{ "https://example.org/\xc3\xa4", false },
	{ "https\x01://example.org/", false },
	{ "", false },
};

static void links_lead_to_the_web_or_nowhere(void **state)
{
	const struct link_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_link(&b, guard_copy(c->url), S("it"));
	assert_int_equal(strncmp(buf_str(&b), "<a href=\"http", 13) == 0,
			 c->linked);
	if (!c->linked)
		assert_string_equal(buf_str(&b), "it");
	assert_null(strstr(buf_str(&b), "onclick=\""));
	buf_release(&b);
}

static const struct commit_case {
	const char *commit, *tree, *want;
} commits[] = {
	{ "0123456789abcdef0123456789abcdef01234567",
	  "https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git",
	  "<code><a href=\"https://git.kernel.org/cgit/linux/kernel/git/next/"
	  "linux-next.git/commit/?id=0123456789abcdef0123456789abcdef01234567"
	  "\">0123456789ab</a></code>" },
	{ "0123456789abcdef", "https://github.com/a/b",
	  "<code><a href=\"https://github.com/a/b/commit/0123456789abcdef\">"
	  "0123456789ab</a></code>" },
	{ "0123456789abcdef", "https://example.org/x",
	  "<code>0123456789ab</code>" },
	{ "v6.1-rc1", "https://github.com/a/b", "<code>v6.1-rc1</code>" },
	{ "0123456789abcdef", "https://github.com/\"><b>",
	  "<code>0123456789ab</code>" },
	{ "<b>", "", "<code>&lt;b&gt;</code>" },
};

static void commits_are_linked_where_the_form_is_known(void **state)
{
	const struct commit_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_commit(&b, slice_of(c->commit), slice_of(c->tree));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static const struct name_case {
	const char *text, *front;
} names[] = {
	{ "will-it-scale", "will-it-scale-" },
	{ "lkp-spr-2sp4", "lkp-spr-2sp4-" },
	{ "../../etc/passwd", "etc-passwd-" },
	{ "x86/MM", "x86-mm-" },
	{ ".", "" },
	{ "\xc3\xa4\xff", "" },
	{ "CON", "con-" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-" },
};

static void names_of_files_are_plain(void **state)
{
	const struct name_case *c = *state;
	struct slice name = site_name(slice_of(c->text), &arena);

	assert_true(slice_starts(name, slice_of(c->front)));
	assert_int_equal(name.len, strlen(c->front) + 10);
	for (size_t i = 0; i < name.len; i++)
		assert_true(is_digit(name.ptr[i]) || name.ptr[i] == '-' ||
			    (name.ptr[i] >= 'a' && name.ptr[i] <= 'z'));
}

static void names_tell_texts_apart(void **state)
{
	(void)state;
	assert_false(slice_eq(site_name(S("a/b"), &arena),
			      site_name(S("a-b"), &arena)));
	assert_false(
		slice_eq(site_name(S("A"), &arena), site_name(S("a"), &arena)));
	assert_true(
		slice_eq(site_name(S("a"), &arena), site_name(S("a"), &arena)));
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(names_tell_texts_apart),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(texts) +
				ARRAY_LEN(links) + ARRAY_LEN(commits) +
				ARRAY_LEN(names)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, texts, want, text_is_never_markup);
	TABLE_ADD(tests, n, links, url, links_lead_to_the_web_or_nowhere);
	TABLE_ADD(tests, n, commits, want,
		  commits_are_linked_where_the_form_is_known);
	TABLE_ADD(tests, n, names, front, names_of_files_are_plain);
	return cmocka_run_group_tests_name("site_markup", tests, set_up,
					   tear_down);
}
