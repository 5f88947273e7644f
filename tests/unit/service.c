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

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "notify/service.h"
#include "ph/utf8.h"
#include "tests/notices.h"

#define ROUNDS 2000
#define KEPT   25 /* of the hostile ones, for validators */

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

/* The value of a form's field, decoded. */
static struct slice form_field(struct slice form, const char *name)
{
	struct slice part, key;
	struct buf b;

	for (;;) {
		if (!slice_take_until(&form, '&', &part)) {
			part = form;
			form.len = 0;
		}
		assert_true(slice_take_until(&part, '=', &key));
		if (slice_eq(key, slice_of(name)))
			break;
		assert_true(form.len > 0);
	}
	buf_init(&b);
	for (size_t i = 0; i < part.len; i++) {
		char hex[3] = { 0 };

		if (part.ptr[i] != '%') {
			buf_add_char(&b, part.ptr[i]);
			continue;
		}
		assert_true(i + 2 < part.len);
		memcpy(hex, part.ptr + i + 1, 2);
		buf_add_char(&b, (char)strtoul(hex, NULL, 16));
		i += 2;
	}
	part = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return part;
}

static json_t *parse(struct slice body)
{
	json_error_t error;
	json_t *j =
		json_loadb(body.ptr, body.len, JSON_REJECT_DUPLICATES, &error);

	if (!j)
		fail_msg("not JSON: %s", error.text);
	return j;
}

static const char *str(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	if (!s)
		fail_msg("no text \"%s\"", key);
	return s;
}

/* Reading the payloads back. Each fails the test on markup that is not ours. */

static bool eat(struct slice *s, const char *prefix)
{
	return slice_skip(s, slice_of(prefix));
}

static void take_char(struct slice *s, struct buf *out)
{
	buf_add_char(out, *s->ptr);
	*s = slice_from(*s, 1);
}

static void take_entity(struct slice *s, struct buf *out)
{
	static const char *const entities[][2] = {
		{ "&amp;", "&" },
		{ "&lt;", "<" },
		{ "&gt;", ">" },
		{ "&quot;", "\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(entities); i++) {
		if (eat(s, entities[i][0])) {
			buf_add_str(out, entities[i][1]);
			return;
		}
	}
	fail_msg("a bare & at \"%.40s\"", s->ptr);
}

static void take_href(struct slice *s)
{
	struct slice url;

	assert_true(eat(s, " href=\""));
	assert_true(slice_take_until(s, '"', &url));
	assert_true(chat_url_fit(url) || slice_find(url, S("&amp;")));
	assert_true(eat(s, ">"));
}

/* Tags of ours only, each closed by itself. signs: no @ or # may stand outside
 * of code without a break behind it. */
static void visible_html(struct slice s, const char *bold, const char *line_end,
			 bool signs, struct buf *out)
{
	char open[16] = "", tag[24];

	while (s.len) {
		if (*s.ptr == '&') {
			take_entity(&s, out);
		} else if (eat(&s, line_end)) {
			assert_string_equal(open, "");
			buf_add_char(out, '\n');
		} else if (*s.ptr != '<') {
			char c = *s.ptr;

			assert_int_not_equal(c, '>');
			take_char(&s, out);
			if (signs && strcmp(open, "code") &&
			    (c == '@' || c == '#'))
				assert_true(slice_starts(s, S(CHAT_BREAK)));
		} else if (open[0]) {
			snprintf(tag, sizeof(tag), "</%s>", open);
			assert_true(eat(&s, tag));
			open[0] = '\0';
		} else if (eat(&s, "<a")) {
			take_href(&s);
			strcpy(open, "a");
		} else if (eat(&s, "<code>")) {
			strcpy(open, "code");
		} else {
			snprintf(tag, sizeof(tag), "<%s>", bold);
			if (!eat(&s, tag))
				fail_msg("a tag: \"%.40s\"", s.ptr);
			snprintf(open, sizeof(open), "%s", bold);
		}
	}
	assert_string_equal(open, "");
}

/* A code span as CommonMark has it. */
static void take_code(struct slice *s, struct buf *out)
{
	size_t fence = 0, run = 0, i;
	struct slice inside;

	while (fence < s->len && s->ptr[fence] == '`')
		fence++;
	for (i = fence; i < s->len; i++) {
		run = s->ptr[i] == '`' ? run + 1 : 0;
		if (run == fence && (i + 1 == s->len || s->ptr[i + 1] != '`'))
			break;
	}
	assert_true(i < s->len);
	inside = slice_between(s->ptr + fence, s->ptr + i + 1 - fence);
	*s = slice_from(*s, i + 1);
	assert_null(slice_chr(inside, '\n'));
	if (inside.len > 2 && inside.ptr[0] == ' ' &&
	    inside.ptr[inside.len - 1] == ' ' && slice_chr(inside, '`'))
		inside = slice_head(slice_from(inside, 1), inside.len - 2);
	buf_add_slice(out, inside);
}

static bool take_link(struct slice *s, struct buf *out)
{
	static const char *const labels[] = { "report", "rerun", "patch" };

	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		struct slice rest = *s, url;

		if (!eat(&rest, "[") || !eat(&rest, labels[i]) ||
		    !eat(&rest, "]("))
			continue;
		assert_true(slice_take_until(&rest, ')', &url));
		assert_true(chat_url_fit(url));
		buf_add_str(out, labels[i]);
		*s = rest;
		return true;
	}
	return false;
}

/* escapes: a backslash makes any punctuation text (CommonMark, Discord);
 * without, nothing that could be markup may stand outside of code. */
static void visible_markdown(struct slice s, bool escapes, const char *bold,
			     struct buf *out)
{
	bool strong = false, line_start = true;

	while (s.len) {
		char c = *s.ptr;

		if (eat(&s, "  \n") || eat(&s, "\n")) {
			assert_false(strong);
			buf_add_char(out, '\n');
			line_start = true;
			continue;
		}
		if (c == '`') {
			take_code(&s, out);
		} else if (eat(&s, bold)) {
			strong = !strong;
		} else if (take_link(&s, out)) {
			;
		} else if (escapes && c == '\\') {
			s = slice_from(s, 1);
			assert_true(s.len && !is_alpha(*s.ptr) &&
				    !is_digit(*s.ptr));
			c = *s.ptr;
			take_char(&s, out);
			assert_true(c != '@' || slice_starts(s, S(CHAT_BREAK)));
		} else {
			if (strchr("\\`*_[]<|~#@&$!:{}^\"", c) && c != '@')
				fail_msg("markup: \"%.40s\"", s.ptr);
			assert_false(line_start && strchr("->+", c));
			take_char(&s, out);
			if (c == '@')
				assert_true(escapes &&
					    slice_starts(s, S(CHAT_BREAK)));
		}
		line_start = false;
	}
	assert_false(strong);
}

static void visible_slack(const json_t *j, struct buf *out)
{
	const json_t *block = json_array_get(json_object_get(j, "blocks"), 0);
	const json_t *part =
		json_array_get(json_object_get(block, "elements"), 0);
	const json_t *e;
	size_t i;

	assert_true(json_is_false(json_object_get(j, "mrkdwn")));
	assert_null(json_object_get(j, "parse"));
	assert_null(json_object_get(j, "link_names"));
	assert_null(strpbrk(str(j, "text"), "<>"));
	assert_int_equal(json_array_size(json_object_get(j, "blocks")), 1);
	assert_string_equal(str(block, "type"), "rich_text");
	assert_string_equal(str(part, "type"), "rich_text_section");
	json_array_foreach(json_object_get(part, "elements"), i, e)
	{
		const char *type = str(e, "type");

		/* neither user, usergroup nor broadcast */
		assert_true(!strcmp(type, "text") || !strcmp(type, "link"));
		buf_add_str(out, str(e, "text"));
	}
}

static void visible_teams(const json_t *j, struct buf *out)
{
	const json_t *card = json_object_get(
		json_array_get(json_object_get(j, "attachments"), 0),
		"content");
	const json_t *block, *run;
	size_t i, k;

	assert_null(json_object_get(card, "msteams"));
	json_array_foreach(json_object_get(card, "body"), i, block)
	{
		assert_string_equal(str(block, "type"), "RichTextBlock");
		if (i)
			buf_add_char(out, '\n');
		json_array_foreach(json_object_get(block, "inlines"), k, run)
		{
			assert_string_equal(str(run, "type"), "TextRun");
			assert_null(strstr(str(run, "text"), "<at>"));
			buf_add_str(out, str(run, "text"));
		}
	}
}

static void visible_discord(const json_t *j, struct buf *out)
{
	const json_t *allowed = json_object_get(j, "allowed_mentions");
	const json_t *parse_list = json_object_get(allowed, "parse");
	const json_t *embed = json_array_get(json_object_get(j, "embeds"), 0);
	struct buf title;

	assert_true(json_is_array(parse_list));
	assert_int_equal(json_array_size(parse_list), 0);
	assert_null(json_object_get(j, "content"));
	buf_init(&title);
	visible_markdown(slice_of(str(embed, "title")), true, "**", &title);
	assert_in_range(utf8_count16(slice_of(str(embed, "title"))), 1, 256);
	assert_in_range(utf8_count16(slice_of(str(embed, "description"))), 1,
			4096);
	visible_markdown(slice_of(str(embed, "description")), true, "**", out);
	buf_release(&title);
}

static void visible_matrix(const json_t *j, struct buf *out)
{
	const json_t *nobody = json_object_get(j, "m.mentions");
	struct slice body = slice_of(str(j, "body"));

	assert_string_equal(str(j, "msgtype"), "m.notice");
	assert_true(json_is_object(nobody));
	assert_int_equal(json_object_size(nobody), 0);
	assert_false(slice_caseglob(S("*@room*"), body));
	visible_html(slice_of(str(j, "formatted_body")), "strong", "<br/>",
		     false, out);
}

static void visible_googlechat(const json_t *j, struct buf *out)
{
	const json_t *card =
		json_object_get(json_array_get(json_object_get(j, "cardsV2"), 0),
				"card");
	const json_t *widgets = json_object_get(
		json_array_get(json_object_get(card, "sections"), 0),
		"widgets");
	const json_t *text =
		json_object_get(json_array_get(widgets, 0), "textParagraph");

	assert_null(json_object_get(j, "text"));
	assert_null(json_object_get(card, "header"));
	visible_html(slice_of(str(text, "text")), "b", "<br>", false, out);
}

static void visible_telegram(const json_t *j, struct buf *out)
{
	struct slice text = slice_of(str(j, "text"));

	assert_string_equal(str(j, "parse_mode"), "HTML");
	assert_in_range(utf8_count16(text), 1, 4096);
	visible_html(text, "b", "\n", true, out);
}

/* True when the payload has a text to compare. */
static bool visible(const struct target *t, struct slice body, struct buf *out)
{
	json_t *j;

	if (t->type == CHANNEL_ZULIP) {
		struct slice topic = form_field(body, "topic");

		assert_in_range(utf8_count(topic), 1, 60);
		assert_null(slice_chr(topic, '\n'));
		visible_markdown(form_field(body, "content"), false, "**", out);
		return true;
	}
	if (t->type == CHANNEL_MAIL)
		return false;
	j = parse(body);
	if (t->type == CHANNEL_SLACK)
		visible_slack(j, out);
	else if (t->type == CHANNEL_MATTERMOST)
		visible_markdown(slice_of(str(j, t->token ? "message" : "text")),
				 true, "**", out);
	else if (t->type == CHANNEL_DISCORD)
		visible_discord(j, out);
	else if (t->type == CHANNEL_MATRIX)
		visible_matrix(j, out);
	else if (t->type == CHANNEL_GOOGLECHAT)
		visible_googlechat(j, out);
	else if (t->type == CHANNEL_TEAMS)
		visible_teams(j, out);
	else if (t->type == CHANNEL_TELEGRAM)
		visible_telegram(j, out);
	else if (t->type == CHANNEL_ROCKETCHAT)
		visible_markdown(slice_of(str(j, "text")), false, "*", out);
	json_decref(j);
	return out->len > 0;
}

/* What a reader should see, from the spans; teams has links as buttons. */
static void wanted(const struct notice *n, bool links, struct buf *out)
{
	struct chat chat;
	bool first = true;

	chat_from_notice(n, &arena, &chat);
	for (size_t i = 0; i < chat.n; i++) {
		struct buf line;

		buf_init(&line);
		for (size_t k = 0; k < chat.line[i].n; k++)
			if (links || chat.line[i].span[k].kind != SPAN_LINK)
				buf_add_slice(&line, chat.line[i].span[k].text);
		if (slice_trim(buf_slice(&line)).len) {
			if (!first)
				buf_add_char(out, '\n');
			buf_add_slice(out, buf_slice(&line));
			first = false;
		}
		buf_release(&line);
	}
}

/* Without breaks; with Rocket.Chat's quotes for backticks. */
static struct slice plain(struct slice s, bool quotes)
{
	struct slice rest = s, ret;
	struct buf b;

	buf_init(&b);
	while (rest.len) {
		if (eat(&rest, CHAT_BREAK))
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

static void compare(const struct target *t, const struct notice *n,
		    struct slice body)
{
	bool quotes = t->type == CHANNEL_ROCKETCHAT;
	struct slice a, b;
	struct buf got, want;

	buf_init(&got);
	buf_init(&want);
	if (visible(t, body, &got)) {
		wanted(n, t->type != CHANNEL_TEAMS, &want);
		a = plain(buf_slice(&got), quotes);
		b = plain(buf_slice(&want), quotes);
		if (!is_cut(t, a, b))
			must_equal(t->name, a, b);
	}
	buf_release(&got);
	buf_release(&want);
}

static void says_the_same_everywhere(void **state)
{
	struct notice n;

	(void)state;
	notices_full(&arena, &n);
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		struct slice body = render(&targets[i], &n);

		keep(targets[i].name, 0, body);
		compare(&targets[i], &n, body);
	}
	arena_reset(&arena);
}

static void hostile_text_is_only_text(void **state)
{
	uint64_t seed = UINT64_C(0x5eed0000c0ffee01);

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct notice n;

		notices_hostile(&arena, &seed, &n);
		for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
			struct slice body = render(&targets[i], &n);

			if (round < KEPT)
				keep(targets[i].name, round + 10, body);
			compare(&targets[i], &n, body);
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

		assert_int_equal(channel_render(&config, &ch, slice_of(bad[i].to),
						&n, &arena, &p, &err),
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
	first = parse(render(t, &n));
	n.kind = NOTICE_UPDATE;
	n.state = S("fixed");
	n.commit = S("0123456789abcdef0123456789abcdef01234567");
	n.results[0].value = 90000;
	fixed = parse(render(t, &n));
	labels = json_object_get(json_array_get(first, 0), "labels");
	assert_true(json_equal(labels, json_object_get(json_array_get(fixed, 0),
						       "labels")));
	assert_int_equal(json_object_size(labels), 3);
	assert_string_equal(str(json_array_get(first, 0), "endsAt"),
			    "2024-05-24T10:00:00Z");
	assert_string_equal(str(json_array_get(fixed, 0), "endsAt"),
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
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p, &err),
			 PH_OK);
	assert_non_null(slice_find(p.body, S("WORSE &lt;!here&gt; memcg:")));
	assert_non_null(
		slice_find(p.body,
			   S("\"text\":\"*will-it-scale.per_process_ops*\"}")));
	assert_null(slice_find(p.body, S("tree")));
	ch.body = "{{nothing}}";
	assert_int_equal(channel_check(&ch, &err), PH_BAD);
	assert_non_null(strstr(err.text, "channel slack: body: line 1"));
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p, &err),
			 PH_FATAL);
	assert_int_equal(err.exit_code, 78);
	notices_digest(&arena, 2, &n);
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena, &p, &err),
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
		for (const struct service_error *e = s->errors; e && e->says; e++)
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
