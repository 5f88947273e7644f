/*
 * What a channel makes of a notice: the operator's words where there are some,
 * and the offer to reply only where a reply can work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ph/channel.h"
#include "tests/notices.h"
#include "tests/table.h"

#define OFFER "Reply with a line \"#perfherald stop\""

static struct arena arena;
static const struct config config = {
	.has_smtp = true,
	.smtp = { .from = "perfherald <bot@example.org>",
		  .from_name = "perfherald",
		  .from_address = "bot@example.org",
		  .envelope_from = "bot@example.org" },
};

static const char *render(const struct config_channel *ch, const char *to,
			  const struct notice *n)
{
	struct parcel parcel;
	struct err err;

	if (channel_render(&config, ch, slice_of(to), n, &arena, &parcel,
			   &err) != PH_OK)
		fail_msg("%s", err.text);
	return arena_str(&arena, parcel.body);
}

static struct offer_case {
	const char *name;
	struct config_channel ch;
	const char *to;
	bool offers;
} offers[] = {
	{ "a person",
	  { .name = "c", .type = CHANNEL_MAIL },
	  "dev@example.org",
	  true },
	{ "a list by its name",
	  { .name = "c", .type = CHANNEL_MAIL },
	  "linux-mm@kvack.org",
	  false },
	{ "a list by the operator's word",
	  { .name = "c", .type = CHANNEL_MAIL, .list_consent = true },
	  "mm-perf@example.org",
	  false },
	{ "standard output",
	  { .name = "c", .type = CHANNEL_STDOUT },
	  "",
	  false },
	{ "a file",
	  { .name = "c", .type = CHANNEL_FILE, .path = "/tmp/x.txt" },
	  "",
	  false },
};

static void offers_a_reply(void **state)
{
	const struct offer_case *c = *state;
	struct notice n;

	notices_full(&arena, &n);
	assert_int_equal(!!strstr(render(&c->ch, c->to, &n), OFFER), c->offers);
	notices_digest(&arena, 3, &n);
	assert_int_equal(!!strstr(render(&c->ch, c->to, &n), OFFER), c->offers);
	arena_reset(&arena);
}

static void a_mail_has_the_operators_words(void **state)
{
	struct config_channel ch = { .name = "c",
				     .type = CHANNEL_MAIL,
				     .subject = "{{verdict}} in {{commit}}",
				     .body = "Hello.\n\n{{text}}" };
	struct notice n;
	const char *mail;

	(void)state;
	notices_full(&arena, &n);
	mail = render(&ch, "dev@example.org", &n);
	assert_non_null(strstr(mail, "\r\nSubject: WORSE in 70a64b7919cb"));
	assert_non_null(strstr(mail, "\r\n\r\nHello.\r\n\r\nWORSE"));
	assert_non_null(strstr(mail, OFFER));
	/* a digest has none of the fields */
	notices_digest(&arena, 3, &n);
	mail = render(&ch, "dev@example.org", &n);
	assert_non_null(strstr(mail, "\r\nSubject: [perfherald]"));
	assert_null(strstr(mail, "Hello."));
	arena_reset(&arena);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(offers) + 1] = { cmocka_unit_test(
		a_mail_has_the_operators_words) };
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, offers, name, offers_a_reply);
	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
