/*
 * What every service is sent: the payload of a plain notice, and the promise
 * that text from a mail is shown as it stands, is no markup and names nobody.
 *
 * The second is tested by reading each payload back as its service would: the
 * visible text must be the notice's own, letter by letter, with no markup but
 * ours around it. PAYLOADS=DIR keeps the payloads as DIR/SERVICE.N, for
 * tests/validators.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "notify/service.h"
#include "ph/utf8.h"
#include "tests/notices.h"
#include "tests/visible.h"

#ifdef PH_ASAN /* ten times slower */
#define ROUNDS 400
#else
#define ROUNDS 2000
#endif
#define KEPT 25 /* of the hostile ones, for validators */

static struct arena arena;
static const struct config config = {
	.has_smtp = true,
	.smtp = { .from = "perfherald <bot@example.org>",
		  .from_name = "perfherald",
		  .from_address = "bot@example.org",
		  .envelope_from = "bot@example.org" },
};

static const struct target {
	const char *name; /* check.js calls it so */
	enum channel_type type;
	bool token;
	const char *to;
} targets[] = {
	{ "slack", CHANNEL_SLACK, false, "" },
	{ "slackbot", CHANNEL_SLACK, true, "C012AB3CD" },
	{ "mattermost", CHANNEL_MATTERMOST, false, "" },
	{ "mattermostbot", CHANNEL_MATTERMOST, true, "abc" },
	{ "discord", CHANNEL_DISCORD, false, "" },
	{ "matrix", CHANNEL_MATRIX, true, "!room:example.org" },
	{ "zulip", CHANNEL_ZULIP, true, "performance" },
	{ "googlechat", CHANNEL_GOOGLECHAT, false, "" },
	{ "teams", CHANNEL_TEAMS, false, "" },
	{ "telegram", CHANNEL_TELEGRAM, true, "-100123/7" },
	{ "rocketchat", CHANNEL_ROCKETCHAT, false, "" },
	{ "rocketchatuser", CHANNEL_ROCKETCHAT, true, "#perf" },
	{ "ntfy", CHANNEL_NTFY, false, "perf" },
	{ "cloudevents", CHANNEL_WEBHOOK, false, "" },
	{ "mail", CHANNEL_MAIL, false, "author@example.org" },
	{ "alertmanager", CHANNEL_ALERTMANAGER, false, "" },
};

static struct config_channel channel_for(const struct target *t)
{
	return (struct config_channel){
		.name = t->name,
		.type = t->type,
		.token_file = t->token ? "/nowhere" : NULL,
	};
}

static void keep(const char *name, int n, struct slice body)
{
	const char *dir = getenv("PAYLOADS");
	char path[512];
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%s.%d", dir, name, n);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(body.ptr, 1, body.len, f), body.len);
	assert_int_equal(fclose(f), 0);
}

static struct slice render(const struct target *t, const struct notice *n)
{
	struct config_channel ch = channel_for(t);
	struct parcel parcel = { 0 };
	struct err err;

	if (channel_render(&config, &ch, slice_of(t->to), n, &arena, &parcel,
			   &err) != PH_OK)
		fail_msg("%s: %s", t->name, err.text);
	assert_true(utf8_valid(parcel.body));
	return parcel.body;
}

/* The spans' own text, line by line; teams has links as buttons. */
static struct slice wanted(const struct chat *chat, bool links)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < chat->n; i++) {
		size_t start = b.len;

		if (b.len)
			buf_add_char(&b, '\n');
		for (size_t k = 0; k < chat->line[i].n; k++)
			if (links || chat->line[i].span[k].kind != SPAN_LINK)
				buf_add_slice(&b, chat->line[i].span[k].text);
		if (!slice_trim(slice_from(buf_slice(&b), start)).len)
			b.len = start;
	}
	ret = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/* Without breaks; with Rocket.Chat's quotes for backticks. */
static struct slice plain(struct slice s, bool quotes)
{
	struct slice rest = s, ret;
	struct buf b;

	buf_init(&b);
	while (rest.len) {
		if (slice_skip(&rest, S(CHAT_BREAK)))
			continue;
		buf_add_char(&b, quotes && *rest.ptr == '`' ? '\'' : *rest.ptr);
		rest = slice_from(rest, 1);
	}
	ret = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static bool is_cut(const struct target *t, struct slice got, struct slice want)
{
	return t->type == CHANNEL_TELEGRAM && got.len < want.len;
}

static void must_equal(const char *name, struct slice got, struct slice want)
{
	size_t i = 0;

	while (i < got.len && i < want.len && got.ptr[i] == want.ptr[i])
		i++;
	if (i == got.len && i == want.len)
		return;
	i = i > 30 ? i - 30 : 0;
	fail_msg("%s shows \"%.*s\", not \"%.*s\"", name,
		 S_FMT(slice_head(slice_from(got, i), 60)),
		 S_FMT(slice_head(slice_from(want, i), 60)));
}

/* What readers of each kind of service should see. */
struct wants {
	struct slice links, buttons, quotes;
};

static void wants_of(const struct notice *n, struct wants *ret)
{
	struct chat chat;

	chat_from_notice(n, &arena, &chat);
	ret->links = plain(wanted(&chat, true), false);
	ret->buttons = plain(wanted(&chat, false), false);
	ret->quotes = plain(ret->links, true);
}

static struct slice wanted_by(const struct target *t, const struct wants *w)
{
	if (t->type == CHANNEL_TEAMS)
		return w->buttons;
	return t->type == CHANNEL_ROCKETCHAT ? w->quotes : w->links;
}

static void compare(const struct target *t, const struct wants *wants,
		    struct slice body)
{
	struct slice got, want = wanted_by(t, wants);
	struct buf b;

	buf_init(&b);
	if (visible_text(t->type, t->token, body, &b)) {
		got = plain(buf_slice(&b), t->type == CHANNEL_ROCKETCHAT);
		if (!is_cut(t, got, want))
			must_equal(t->name, got, want);
	}
	buf_release(&b);
}

static void says_the_same_everywhere(void **state)
{
	struct wants wants;
	struct notice n;

	(void)state;
	notices_full(&arena, &n);
	wants_of(&n, &wants);
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		struct slice body = render(&targets[i], &n);

		keep(targets[i].name, 0, body);
		compare(&targets[i], &wants, body);
	}
	arena_reset(&arena);
}

static void hostile_text_is_only_text(void **state)
{
	uint64_t seed = UINT64_C(0x5eed0000c0ffee01);

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct wants wants;
		struct notice n;

		notices_hostile(&arena, &seed, &n);
		wants_of(&n, &wants);
		for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
			struct slice body = render(&targets[i], &n);

			if (round < KEPT)
				keep(targets[i].name, round + 10, body);
			compare(&targets[i], &wants, body);
		}
		arena_reset(&arena);
	}
}

static void a_long_digest_fits(void **state)
{
	struct notice n;

	(void)state;
	notices_digest(&arena, 400, &n);
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		if (targets[i].type == CHANNEL_ALERTMANAGER)
			continue;
		keep(targets[i].name, 1, render(&targets[i], &n));
	}
	arena_reset(&arena);
}

static void slack_holds_the_numbers(void **state)
{
	struct slice body;
	struct notice n;

	(void)state;
	notices_full(&arena, &n);
	body = render(&targets[0], &n);
	assert_non_null(slice_find(body, S("WORSE 11.9%")));
	assert_non_null(slice_find(body, S("91,713 -> 80,789 operations per "
					   "process (higher is better)")));
	assert_non_null(slice_find(body, S("\"style\":{\"code\":true}")));
	arena_reset(&arena);
}

static void updates_keep_their_thread(void **state)
{
	struct config_channel ch = channel_for(&targets[1]);
	struct parcel p = { 0 };
	struct notice n;
	struct err err;

	(void)state;
	notices_full(&arena, &n);
	n.kind = NOTICE_UPDATE;
	n.thread_remote = S("1715.5\"");
	assert_int_equal(channel_render(&config, &ch, S("C1"), &n, &arena, &p,
					&err),
			 PH_OK);
	assert_true(slice_eq(p.extra, S("{\"thread\":\"1715.5\\\"\"}")));
	assert_null(slice_find(p.body, S("thread_ts")));
	assert_true(slice_eq(p.message_id, n.key));
	arena_reset(&arena);
}

static void wrong_targets_are_refused(void **state)
{
	static const struct target bad[] = {
		{ "matrix", CHANNEL_MATRIX, true, "#alias:example.org" },
		{ "zulip", CHANNEL_ZULIP, true, "" },
		{ "telegram", CHANNEL_TELEGRAM, true, "-100/x" },
		{ "ntfy", CHANNEL_NTFY, false, "a topic" },
		{ "discord", CHANNEL_DISCORD, false, "general" },
	};
	struct parcel p = { 0 };
	struct notice n;
	struct err err;

	(void)state;
	notices_full(&arena, &n);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct config_channel ch = channel_for(&bad[i]);

		assert_int_equal(channel_render(&config, &ch,
						slice_of(bad[i].to), &n, &arena,
						&p, &err),
				 PH_BAD);
		assert_non_null(strstr(err.text, bad[i].name));
		assert_non_null(strstr(err.text, "`to`"));
	}
	arena_reset(&arena);
}

static void alerts_are_the_patch(void **state)
{
	const struct target *t = &targets[ARRAY_LEN(targets) - 1];
	json_t *first, *fixed, *labels;
	struct notice n;

	(void)state;
	notices_full(&arena, &n);
	first = visible_json(render(t, &n));
	n.kind = NOTICE_UPDATE;
	n.state = S("fixed");
	n.commit = S("0123456789abcdef0123456789abcdef01234567");
	n.results[0].value = 90000;
	fixed = visible_json(render(t, &n));
	labels = json_object_get(json_array_get(first, 0), "labels");
	assert_true(json_equal(labels, json_object_get(json_array_get(fixed, 0),
						       "labels")));
	assert_int_equal(json_object_size(labels), 3);
	assert_string_equal(visible_str(json_array_get(first, 0), "endsAt"),
			    "2024-05-24T10:00:00Z");
	assert_string_equal(visible_str(json_array_get(fixed, 0), "endsAt"),
			    "2024-05-17T09:59:59Z");
	json_decref(first);
	json_decref(fixed);
	arena_reset(&arena);
}

static void templates_replace_the_words(void **state)
{
	struct config_channel ch = channel_for(&targets[0]);
	struct parcel p = { 0 };
	struct notice n;
	struct err err;

	(void)state;
	ch.subject = "{{verdict}} <!here> {{title}}";
	ch.body = "*{{metric}}*\n{{#state}}\nnow {{state}}\n{{/state}}\n"
		  "{{values}}";
	assert_int_equal(channel_check(&ch, &err), PH_OK);
	notices_full(&arena, &n);
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p,
					&err),
			 PH_OK);
	assert_non_null(slice_find(p.body, S("WORSE &lt;!here&gt; memcg:")));
	assert_non_null(
		slice_find(p.body,
			   S("\"text\":\"*will-it-scale.per_process_ops*\"}")));
	assert_null(slice_find(p.body, S("tree")));
	ch.body = "{{nothing}}";
	assert_int_equal(channel_check(&ch, &err), PH_BAD);
	assert_non_null(strstr(err.text, "channel slack: body: line 1"));
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p,
					&err),
			 PH_FATAL);
	assert_int_equal(err.exit_code, 78);
	notices_digest(&arena, 2, &n);
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p,
					&err),
			 PH_OK);
	arena_reset(&arena);
}

static void every_row_is_whole(void **state)
{
	const struct service *const *all;
	size_t n;

	(void)state;
	all = service_all(&n);
	for (size_t i = 0; i < n; i++) {
		const struct service *s = all[i];

		assert_non_null(s->title);
		assert_non_null(s->render);
		assert_true(!s->request != !s->send);
		assert_true(s->type == CHANNEL_MAIL || s->limit > 0);
		assert_true(!s->paths || s->path_hint);
		for (const struct service_error *e = s->errors; e && e->says;
		     e++)
			assert_non_null(e->advice);
	}
	for (int type = 0; type < CHANNEL_TYPES; type++) {
		struct config_channel ch = { .type = type, .name = "x" };

		assert_int_equal(service_of(&ch)->type, type);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_the_same_everywhere),
		cmocka_unit_test(hostile_text_is_only_text),
		cmocka_unit_test(a_long_digest_fits),
		cmocka_unit_test(slack_holds_the_numbers),
		cmocka_unit_test(updates_keep_their_thread),
		cmocka_unit_test(wrong_targets_are_refused),
		cmocka_unit_test(alerts_are_the_patch),
		cmocka_unit_test(templates_replace_the_words),
		cmocka_unit_test(every_row_is_whole),
	};
	int failed;

	arena_init(&arena);
	failed = cmocka_run_group_tests_name("service", tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
