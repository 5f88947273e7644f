/*
 * The bad inputs, 2: what a mail may hold. Everything here passes as the
 * robot's word, since a robot can be made to quote anything.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/rig.h"
#include "tests/table.h"
#include "tests/visible.h"

#define TITLE	 "mm: walk the per-node folio list under one lock"
#define ID	 "202611020915.4e1c09ab-oliver.sang@intel.com"
#define TELL_ALL "tell_since: 2020-01-01"

/* A demo report with another text wherever old stands. */
static void put_demo(struct buf *b, const char *demo, const char *old,
		     const char *text)
{
	const char *rest = rig_file(demo), *at;

	while (old && (at = strstr(rest, old))) {
		buf_add(b, rest, (size_t)(at - rest));
		buf_add_str(b, text);
		rest = at + strlen(old);
	}
	buf_add_str(b, rest);
}

/* The first one, as DIR/mail. */
static void put_report(const struct rig *r, const char *old, const char *text)
{
	struct buf b;

	buf_init(&b);
	put_demo(&b, "tests/demo/1-regression.eml", old, text);
	rig_write(r, "mail", "%.*s", S_FMT(buf_slice(&b)));
	buf_release(&b);
}

static int process(const struct rig *r)
{
	return rig_run(r, "process", rig_path(r->dir, "mail"), NULL);
}

/* Envelope of the n-th mail of this test, as JSON. */
static const char *envelope(const struct rig *r, int n)
{
	char name[32];

	snprintf(name, sizeof(name), "%d.env", r->mails0 + n);
	return rig_file(rig_path(r->smtp_dir, name));
}

/* -- what a title can hold -- */

static const struct place {
	const char *name, *path; /* of the channel, and of its URL */
	enum channel_type type;
} places[] = {
	{ "slack", "/services/T0/B0/s", CHANNEL_SLACK },
	{ "discord", "/api/webhooks/1/s", CHANNEL_DISCORD },
	{ "mattermost", "/hooks/s", CHANNEL_MATTERMOST },
	{ "teams", "/workflows/s/triggers/manual/paths/invoke?sig=s",
	  CHANNEL_TEAMS },
};

static void configure_places(const struct rig *r)
{
	char text[4096] = "channels:\n", file[32];
	size_t len = strlen(text);

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const struct place *p = &places[i];

		snprintf(file, sizeof(file), "%s.url", p->name);
		rig_write(r, file, "http://127.0.0.1:%d%s\n", r->chat.port,
			  p->path);
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  %s: {type: %s, url_file: %s,"
					" insecure: true}\n",
					p->name, p->name,
					rig_path(r->dir, file));
	}
	rig_edit(r, "perfherald.yaml", "channels:\n", text);
	rig_edit(r, "perfherald.yaml", "to: [team, chat]",
		 "to: [team, slack, discord, mattermost, teams]");
}

/* Without what keeps a service from seeing markup (U+200B). */
static void drop_breaks(struct buf *b)
{
	static const struct slice gap = S_INIT("\xe2\x80\x8b");
	struct slice rest = buf_slice(b);
	size_t n = 0;

	while (rest.len) {
		if (slice_skip(&rest, gap))
			continue;
		b->ptr[n++] = *rest.ptr;
		rest = slice_from(rest, 1);
	}
	b->len = n;
}

/* What a reader of this place sees; a mention in it fails the test. */
static const char *seen_at(const struct rig *r, const struct place *place)
{
	struct buf b;

	for (int i = 1; i <= (int)ARRAY_LEN(places); i++) {
		struct slice head = http_sink_head(&r->chat, r->posts0 + i);
		struct slice ret;

		if (!slice_find(head, slice_of(place->path)))
			continue;
		buf_init(&b);
		assert_true(
			visible_text(place->type, false,
				     http_sink_body(&r->chat, r->posts0 + i),
				     &b));
		drop_breaks(&b);
		buf_add_char(&b, '\0');
		ret = guard_bytes(b.ptr, b.len);
		buf_release(&b);
		return ret.ptr;
	}
	fail_msg("no post at %s", place->path);
	return NULL;
}

static const char *const titles[] = {
	"mm: @everyone, @here and @channel, look",
	"mm: <!channel> <!here> <@U012345> look",
	"mm: @room, look at [this](https://evil.example)",
	"mm: <https://evil.example|look> *now* `or` ~never~",
};
static size_t next_title;

static void check_title(void **state)
{
	const char *title = titles[next_title++];
	const struct rig *r = *state;

	configure_places(r);
	put_report(r, TITLE, title);
	assert_int_equal(process(r), EX_OK);
	rig_assert_told(r, 1, (int)ARRAY_LEN(places));
	if (!strstr(rig_mail(r, 1), title))
		fail_msg("no \"%s\" in:\n%s", title, rig_mail(r, 1));
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (!strstr(seen_at(r, &places[i]), title))
			fail_msg("no \"%s\" at %s:\n%s", title, places[i].name,
				 seen_at(r, &places[i]));
}

/* No field and no recipient comes in through a text; what is left of it is
 * text. */
static const struct inject_case {
	const char *name, *old, *text;
} injections[] = {
	{ "CR LF in an encoded subject", "Subject: [linux-next:master]",
	  "Subject: =?utf-8?Q?=0D=0ABcc:_eve@evil.example=0D=0A=0D=0A?= "
	  "[linux-next:master]" },
	{ "CR in a title", TITLE,
	  "mm: walk\rBcc: eve@evil.example\r\r.\rthe list" },
	{ "bare LF dot LF in a title", TITLE,
	  "mm: walk\n.\nMAIL FROM:<eve@evil.example>\nBcc: eve@evil.example" },
	{ "line separators in a title", TITLE,
	  "mm: walk\xe2\x80\xa8"
	  "Bcc: eve@evil.example\xc2\x85"
	  "Bcc: eve@evil.example" },
	{ "CR LF in a name", "Mira Halloran <",
	  "=?utf-8?Q?Mira=0D=0ABcc:_eve@evil.example=0D=0A?= <" },
	{ "CR LF in a Message-ID", "Message-ID: <" ID ">",
	  "Message-ID: <a@b\r\n Bcc: eve@evil.example>" },
};
static size_t next_injection;

static void check_injection(void **state)
{
	const struct inject_case *c = &injections[next_injection++];
	const struct rig *r = *state;
	const char *mail;

	put_report(r, c->old, c->text);
	assert_int_equal(process(r), EX_OK);
	rig_assert_told(r, 1, 1);
	mail = rig_mail(r, 1);
	assert_string_equal(rig_field(mail, "To"), "team@example.org");
	assert_string_equal(rig_field(mail, "Bcc"), "");
	assert_null(strstr(mail, "\nBcc:"));
	assert_null(strstr(mail, "\r\n.\r\n"));
	assert_string_equal(envelope(r, 1),
			    "{\"from\": \"perf-bot@example.org\""
			    ", \"to\": [\"team@example.org\"]}");
}

/* -- what an address can hold -- */

/* Nobody is the author then, and no other is taken for him. */
static const struct address_case {
	const char *name, *to;
} addresses[] = {
	{ "CR LF in an encoded address",
	  "=?utf-8?Q?=3Cmira@author.example=0D=0ARCPT_TO:"
	  "=3Ceve@evil.example=3E=3E?=" },
	{ "CR LF in a folded address",
	  "<mira@author.example>\n RCPT TO:<eve@evil.example>" },
	{ "two addresses in one", "<mira@author.example> <eve@evil.example>" },
	{ "a bare CR in an address", "<mira@author.example\rRCPT>" },
	{ "a quoted local part", "<\"mira> RCPT TO:<eve\"@author.example>" },
	{ "an address literal", "<mira@[127.0.0.1]>" },
	{ "a source route", "<@evil.example:mira@author.example>" },
};
static size_t next_address;

static void check_address(void **state)
{
	const struct address_case *c = &addresses[next_address++];
	const struct rig *r = *state;
	char text[512];

	/* the author is told only of what is proven */
	rig_edit(r, "perfherald.yaml", "{proof: [none]}",
		 "{proof: [authres], authserv_id: mx.example.org}");
	rig_edit(r, "perfherald.yaml", "to: team@example.org",
		 "to: \"@author\"");
	snprintf(text, sizeof(text),
		 "Authentication-Results: mx.example.org; "
		 "dkim=pass header.d=intel.com\nTo: %s\n",
		 c->to);
	put_report(r, "To: Mira Halloran <mira@author.example>\n", text);
	assert_int_equal(process(r), EX_OK);
	rig_assert_told(r, 0, 1);
	assert_int_equal(rig_run(r, "why", ID, NULL), EX_OK);
	rig_has(r, "out",
		"team to @author: not told: it is not known who "
		"that is\n");
}

/* -- what a whole mail can be -- */

static void assert_set_aside(const struct rig *r, const char *why)
{
	char text[256];

	assert_int_equal(process(r), EX_DATAERR);
	snprintf(text, sizeof(text), "perfherald: %s: %s\n",
		 rig_path(r->dir, "mail"), why);
	assert_string_equal(rig_text(r, "out"), text);
	rig_assert_told(r, 0, 0);
}

static void thirty_thousand_nested_parts(void **state)
{
	const struct rig *r = *state;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, "From: lkp@intel.com\nSubject: deep\n");
	for (int i = 0; i < 30000; i++)
		buf_printf(&b,
			   "Content-Type: multipart/mixed; boundary=b%d\n\n"
			   "--b%d\n",
			   i, i);
	rig_write(r, "mail", "%.*s", S_FMT(buf_slice(&b)));
	buf_release(&b);
	assert_set_aside(r, "MIME parts nested over 20 deep");
}

static void thirty_thousand_parts(void **state)
{
	const struct rig *r = *state;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, "From: lkp@intel.com\nSubject: wide\n"
			"Content-Type: multipart/mixed; boundary=b\n\n");
	for (int i = 0; i < 30000; i++)
		buf_add_str(&b, "--b\n\nx\n");
	rig_write(r, "mail", "%.*s", S_FMT(buf_slice(&b)));
	buf_release(&b);
	assert_set_aside(r, "more than 200 MIME parts");
}

static void a_nul_byte(void **state)
{
	static const char mail[] = "From: lkp@intel.com\nSubject: a\0b\n\nx\n";
	const struct rig *r = *state;
	FILE *f = fopen(rig_path(r->dir, "mail"), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(mail, 1, sizeof(mail) - 1, f),
			 sizeof(mail) - 1);
	fclose(f);
	assert_set_aside(r, "not a mail: a NUL byte at offset 30");
}

static void invalid_utf8(void **state)
{
	const struct rig *r = *state;

	put_report(r, TITLE, "mm: caf\xe9 \xc0\xaf lock");
	assert_int_equal(process(r), EX_OK);
	rig_assert_told(r, 1, 1);
	assert_non_null(strstr(rig_mail(r, 1),
			       "(\"mm: caf=EF=BF=BD =EF=BF=BD=EF=BF=BD "
			       "lock\")"));
	assert_non_null(strstr(rig_post(r, 1),
			       "mm: caf\xef\xbf\xbd \xef\xbf\xbd"
			       "\xef\xbf\xbd lock"));
}

/* A mail of so many bytes, and the third demo report behind it. */
static void an_oversized_message(void **state)
{
	const size_t size = LIMIT_MAIL;
	const struct rig *r = *state;
	char *raw = malloc(size);

	assert_non_null(raw);
	for (size_t i = 0; i < size; i++)
		raw[i] = i % 64 == 63 ? '\n' : 'x';
	memcpy(raw, "Subject: big\n\n", 14);
	rig_configure(r, TELL_ALL);
	rig_deliver_raw(r, (struct slice){ raw, size });
	rig_deliver(r, "3-improvement.eml");
	free(raw);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 0, 1);
	rig_run(r, "list", "--messages", "oversized", NULL);
	rig_has(r, "out", "  oversized  uid:work/1               ");
	rig_has(r, "out", " bytes, at most 8388608 are read\n");
}

/* -- what a parser can die of -- */

static const struct poison_case {
	const char *name, *parameter, *ended;
} poisons[] = {
	{ "a message that crashes the parser", "x-test=crash",
	  "supervisor: worker work ended by signal 6 (Aborted)\n" },
	{ "a message that spins the parser", "x-test=spin",
	  "supervisor: worker work used up its processor time\n" },
};
static size_t next_poison;

static void check_poison(void **state)
{
	const struct poison_case *c = &poisons[next_poison++];
	struct rig *r = *state;
	char type[128];

	rig_configure(r, TELL_ALL);
	snprintf(type, sizeof(type), "Content-Type: text/plain; %s;",
		 c->parameter);
	put_report(r, "Content-Type: text/plain;", type);
	rig_deliver_raw(r, slice_of(rig_text(r, "mail")));
	rig_deliver(r, "3-improvement.eml");
	rig_mischief("PH_CRASH", "1");
	rig_mischief("PH_HASTE", "20");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_behave();
	rig_has(r, "out", "supervisor: worker work died of UID 1 in INBOX\n");
	rig_has(r, "out", c->ended);
	rig_has(r, "out",
		"worker work: UID 1 in INBOX killed its worker 2 "
		"times and is set aside\n");
	rig_assert_told(r, 0, 1);
	assert_int_equal(rig_run(r, "list", "--messages", "poison", NULL),
			 EX_OK);
	rig_has(r, "out",
		"poison     uid:work/1               "
		"killed its worker twice\n");
	/* and it stays set aside */
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 0, 1);
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		RIG_TEST(thirty_thousand_nested_parts),
		RIG_TEST(thirty_thousand_parts),
		RIG_TEST(a_nul_byte),
		RIG_TEST(invalid_utf8),
		RIG_TEST(an_oversized_message),
	};
	size_t n = TABLE_LISTED(tests);

	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		tests[n++] = rig_test(titles[i], check_title);
	for (size_t i = 0; i < ARRAY_LEN(injections); i++)
		tests[n++] = rig_test(injections[i].name, check_injection);
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++)
		tests[n++] = rig_test(addresses[i].name, check_address);
	for (size_t i = 0; i < ARRAY_LEN(poisons); i++)
		tests[n++] = rig_test(poisons[i].name, check_poison);
	return _cmocka_run_group_tests("twenty_content", tests, n, rig_start,
				       rig_stop);
}
