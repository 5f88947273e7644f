#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "notify/template.h"
#include "tests/guard.h"
#include "tests/notices.h"

static struct arena arena;

static struct template_case {
	const char *name, *in;
	enum status want;
	const char *out; /* or a part of the message */
} cases[] = {
	{ "plain text", "a line\nanother", PH_OK, "a line\nanother" },
	{ "a field", "{{verdict}} {{change}} in {{ metric }}", PH_OK,
	  "WORSE 11.9% in will-it-scale.per_process_ops" },
	{ "a short and a whole hash", "{{commit}} {{hash}}", PH_OK,
	  "70a64b7919cb 70a64b7919cbd6c12306051ff2825839a9d65605" },
	{ "an unknown value", "[{{state}}]", PH_OK, "[]" },
	{ "a section with a text", "{{#tree}}on {{tree}}{{/tree}}", PH_OK,
	  "on next/linux-next.git master" },
	{ "a section without", "a{{#state}} now {{state}}{{/state}}b", PH_OK,
	  "ab" },
	{ "the other way round", "{{^state}}open{{/state}}", PH_OK, "open" },
	{ "nested",
	  "{{#tree}}1{{#state}}2{{/state}}{{^state}}3{{/state}}"
	  "{{/tree}}",
	  PH_OK, "13" },
	{ "hidden parts stay hidden inside",
	  "{{#state}}1{{#tree}}2{{/tree}}{{^fix}}3{{/fix}}{{/state}}4", PH_OK,
	  "4" },
	{ "a sign alone leaves no line", "a\n  {{#tree}}  \nb\n{{/tree}}\nc\n",
	  PH_OK, "a\nb\nc\n" },
	{ "a hidden part leaves no line", "a\n{{#state}}\nb\n{{/state}}\nc",
	  PH_OK, "a\nc" },
	{ "a comment leaves no line", "a\n{{! why }}\nb", PH_OK, "a\nb" },
	{ "a field alone keeps its line", "a\n{{state}}\nb", PH_OK, "a\n\nb" },
	{ "only in updates", "{{#update}}again: {{/update}}{{title}}", PH_OK,
	  "memcg: dynamically allocate lruvec_stats" },
	{ "braces in text", "{ {x} }", PH_OK, "{ {x} }" },
	{ "an unknown field", "a\nb {{metrik}}", PH_BAD,
	  "line 2: no field \"metrik\" (nearest: metric)" },
	{ "nothing inside", "{{}}", PH_BAD, "line 1: no field \"\"" },
	{ "no end", "a {{title", PH_BAD, "line 1: {{ without its }}" },
	{ "a section left open", "{{#title}}x", PH_BAD,
	  "{{#title}} without {{/title}}" },
	{ "an end too many", "{{/title}}", PH_BAD, "{{/title}} ends no" },
	{ "crossed", "{{#title}}{{#tree}}{{/title}}{{/tree}}", PH_BAD,
	  "{{/title}} ends no" },
	{ "too deep",
	  "{{#tree}}{{#tree}}{{#tree}}{{#tree}}{{#tree}}{{#tree}}{{#tree}}"
	  "{{#tree}}{{#tree}}",
	  PH_BAD, "deeper than 8" },
};

static void check_case(void **state)
{
	const struct template_case *c = *state;
	struct slice in = guard_copy(c->in);
	struct notice n;
	struct err err = { 0 };
	struct buf b;

	buf_init(&b);
	notices_full(&arena, &n);
	assert_int_equal(template_check(in, &err), c->want);
	if (c->want == PH_OK) {
		assert_int_equal(template_render(in, &n, &b, &err), PH_OK);
		assert_string_equal(buf_str(&b), c->out);
	} else {
		assert_non_null(strstr(err.text, c->out));
		assert_int_equal(template_render(in, &n, &b, &err), PH_BAD);
	}
	buf_release(&b);
	arena_reset(&arena);
}

/* "#regzbot" from a title must not stand at the front of a line. */
static void no_field_is_a_command(void **state)
{
	struct notice n;
	struct err err;
	struct buf b;

	(void)state;
	buf_init(&b);
	notices_full(&arena, &n);
	n.title = S("#regzbot introduced: x\n{{state}}");
	assert_int_equal(template_render(S("a\n{{title}}\n"), &n, &b, &err),
			 PH_OK);
	assert_string_equal(buf_str(&b),
			    "a\n #regzbot introduced: x {{state}}\n");
	buf_release(&b);
	arena_reset(&arena);
}

static void every_field_has_words(void **state)
{
	const char *name, *help;
	struct notice n;
	struct err err;

	(void)state;
	notices_full(&arena, &n);
	for (size_t i = 0; (name = template_field(i, &help)); i++) {
		struct buf b;

		assert_true(help[0] != '\0');
		buf_init(&b);
		assert_int_equal(template_render(slice_of(arena_printf(&arena,
								       "{{%s}}",
								       name)),
						 &n, &b, &err),
				 PH_OK);
		n.n_results = 0;
		assert_int_equal(template_render(slice_of(arena_printf(&arena,
								       "{{%s}}",
								       name)),
						 &n, &b, &err),
				 PH_OK);
		n.n_results = 2;
		buf_release(&b);
	}
	arena_reset(&arena);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
		cmocka_unit_test(no_field_is_a_command),
		cmocka_unit_test(every_field_has_words),
	};
	struct CMUnitTest tests[ARRAY_LEN(cases) + ARRAY_LEN(more)];
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check_case,
						.initial_state = &cases[i] };
	memcpy(tests + ARRAY_LEN(cases), more, sizeof(more));
	arena_init(&arena);
	failed = cmocka_run_group_tests_name("template", tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
