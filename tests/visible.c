#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include "notify/chat.h"
#include "ph/utf8.h"
#include "tests/visible.h"

/* Adds the value of a form's field, decoded. */
static void form_field(struct slice form, const char *name, struct buf *ret)
{
	struct slice part, key;

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
	for (size_t i = 0; i < part.len; i++) {
		char hex[3] = { 0 };

		if (part.ptr[i] != '%') {
			buf_add_char(ret, part.ptr[i]);
			continue;
		}
		assert_true(i + 2 < part.len);
		memcpy(hex, part.ptr + i + 1, 2);
		buf_add_char(ret, (char)strtoul(hex, NULL, 16));
		i += 2;
	}
}

json_t *visible_json(struct slice body)
{
	json_error_t error;
	json_t *j =
		json_loadb(body.ptr, body.len, JSON_REJECT_DUPLICATES, &error);

	if (!j)
		fail_msg("not JSON: %s", error.text);
	return j;
}

const char *visible_str(const json_t *j, const char *key)
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
	assert_null(strpbrk(visible_str(j, "text"), "<>"));
	assert_int_equal(json_array_size(json_object_get(j, "blocks")), 1);
	assert_string_equal(visible_str(block, "type"), "rich_text");
	assert_string_equal(visible_str(part, "type"), "rich_text_section");
	json_array_foreach(json_object_get(part, "elements"), i, e)
	{
		const char *type = visible_str(e, "type");

		/* neither user, usergroup nor broadcast */
		assert_true(!strcmp(type, "text") || !strcmp(type, "link"));
		buf_add_str(out, visible_str(e, "text"));
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
		assert_string_equal(visible_str(block, "type"),
				    "RichTextBlock");
		if (i)
			buf_add_char(out, '\n');
		json_array_foreach(json_object_get(block, "inlines"), k, run)
		{
			assert_string_equal(visible_str(run, "type"),
					    "TextRun");
			assert_null(strstr(visible_str(run, "text"), "<at>"));
			buf_add_str(out, visible_str(run, "text"));
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
	visible_markdown(slice_of(visible_str(embed, "title")), true, "**",
			 &title);
	assert_in_range(utf8_count16(slice_of(visible_str(embed, "title"))), 1,
			256);
	assert_in_range(utf8_count16(
				slice_of(visible_str(embed, "description"))),
			1, 4096);
	visible_markdown(slice_of(visible_str(embed, "description")), true,
			 "**", out);
	buf_release(&title);
}

static void visible_matrix(const json_t *j, struct buf *out)
{
	const json_t *nobody = json_object_get(j, "m.mentions");
	struct slice body = slice_of(visible_str(j, "body"));

	assert_string_equal(visible_str(j, "msgtype"), "m.notice");
	assert_true(json_is_object(nobody));
	assert_int_equal(json_object_size(nobody), 0);
	assert_false(slice_caseglob(S("*@room*"), body));
	visible_html(slice_of(visible_str(j, "formatted_body")), "strong",
		     "<br/>", false, out);
}

static void visible_googlechat(const json_t *j, struct buf *out)
{
	const json_t *card = json_object_get(
		json_array_get(json_object_get(j, "cardsV2"), 0), "card");
	const json_t *widgets = json_object_get(
		json_array_get(json_object_get(card, "sections"), 0),
		"widgets");
	const json_t *text =
		json_object_get(json_array_get(widgets, 0), "textParagraph");

	assert_null(json_object_get(j, "text"));
	assert_null(json_object_get(card, "header"));
	visible_html(slice_of(visible_str(text, "text")), "b", "<br>", false,
		     out);
}

static void visible_telegram(const json_t *j, struct buf *out)
{
	struct slice text = slice_of(visible_str(j, "text"));

	assert_string_equal(visible_str(j, "parse_mode"), "HTML");
	assert_in_range(utf8_count16(text), 1, 4096);
	visible_html(text, "b", "\n", true, out);
}

static void visible_zulip(struct slice body, struct buf *out)
{
	struct buf field;

	buf_init(&field);
	form_field(body, "topic", &field);
	assert_in_range(utf8_count(buf_slice(&field)), 1, 60);
	assert_null(slice_chr(buf_slice(&field), '\n'));
	buf_reset(&field);
	form_field(body, "content", &field);
	visible_markdown(buf_slice(&field), false, "**", out);
	buf_release(&field);
}

bool visible_text(enum channel_type type, bool token, struct slice body,
		  struct buf *out)
{
	json_t *j;

	if (type == CHANNEL_ZULIP) {
		visible_zulip(body, out);
		return true;
	}
	if (type == CHANNEL_MAIL)
		return false;
	j = visible_json(body);
	if (type == CHANNEL_SLACK)
		visible_slack(j, out);
	else if (type == CHANNEL_MATTERMOST)
		visible_markdown(slice_of(visible_str(j, token ? "message"
							       : "text")),
				 true, "**", out);
	else if (type == CHANNEL_DISCORD)
		visible_discord(j, out);
	else if (type == CHANNEL_MATRIX)
		visible_matrix(j, out);
	else if (type == CHANNEL_GOOGLECHAT)
		visible_googlechat(j, out);
	else if (type == CHANNEL_TEAMS)
		visible_teams(j, out);
	else if (type == CHANNEL_TELEGRAM)
		visible_telegram(j, out);
	else if (type == CHANNEL_ROCKETCHAT)
		visible_markdown(slice_of(visible_str(j, "text")), false, "*",
				 out);
	json_decref(j);
	return out->len > 0;
}
