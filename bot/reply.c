#include "bot/reply.h"

#define COMMIT_LEAST 8 /* digits; fewer are a typing error */

static bool take_commit(struct slice *s, struct slice *ret)
{
	struct slice word;

	if (!slice_take_word(s, &word) || word.len < COMMIT_LEAST ||
	    word.len > 40)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!is_hex(word.ptr[i]))
			return false;
	*ret = word;
	return true;
}

static enum reply_verb read_verb(struct slice s, struct slice *ret_arg)
{
	struct slice word, rest = s;

	if (slice_caseskip(&rest, S("invalid"))) {
		slice_skip(&rest, S(":"));
		*ret_arg = slice_trim(rest);
		return ret_arg->len ? REPLY_INVALID : REPLY_UNKNOWN;
	}
	if (!slice_take_word(&s, &word))
		return REPLY_UNKNOWN;
	if (slice_caseeq(word, S("dup")))
		return take_commit(&s, ret_arg) ? REPLY_DUP : REPLY_UNKNOWN;
	if (slice_caseeq(word, S("fixed")))
		return take_commit(&s, ret_arg) ? REPLY_FIXED : REPLY_UNKNOWN;
	if (slice_trim(s).len)
		return REPLY_UNKNOWN;
	if (slice_caseeq(word, S("stop")))
		return REPLY_STOP;
	return slice_caseeq(word, S("ack")) ? REPLY_ACK : REPLY_UNKNOWN;
}

bool reply_read(struct slice text, struct reply_command *ret)
{
	struct slice line;

	while (slice_take_line(&text, &line)) {
		struct slice rest = slice_trim(line);

		if (slice_eq(slice_trim(line), S("--")))
			return false;
		if (!slice_caseskip(&rest, S("#perfherald")))
			continue;
		if (rest.len && !is_blank(*rest.ptr))
			continue;
		*ret = (struct reply_command){ .line = slice_trim(line),
					       .arg = S_INIT("") };
		ret->verb = read_verb(slice_trim(rest), &ret->arg);
		return true;
	}
	return false;
}

struct slice reply_help(void)
{
	return S("One of these, on a line of its own:\n"
		 "  #perfherald stop          no more mail to you, ever\n"
		 "  #perfherald ack           somebody looks at it\n"
		 "  #perfherald dup COMMIT    the same patch as this commit\n"
		 "  #perfherald fixed COMMIT  this commit mends it\n"
		 "  #perfherald invalid: WHY  it is no regression\n");
}

/* -- bounces -- */

/* The value of a field at the front of a line, without regard to case. */
static bool field(struct slice line, struct slice name, struct slice *ret)
{
	if (!slice_caseskip(&line, name))
		return false;
	*ret = slice_trim(line);
	return true;
}

static void read_recipient(struct slice value, struct bounce *ret)
{
	struct slice type;

	if (slice_take_until(&value, ';', &type))
		value = slice_trim(value);
	slice_skip(&value, S("<"));
	if (slice_ends(value, S(">")))
		value.len--;
	ret->recipient = value;
}

static void read_message(struct slice value, struct bounce *ret)
{
	if (slice_skip(&value, S("<")) && slice_ends(value, S(">")))
		value.len--;
	ret->message = value;
}

/*
 * The report's own Message-ID comes before that of the mail that came back,
 * which stands in the last part: the last one counts.
 */
bool bounce_read(struct slice raw, struct bounce *ret)
{
	struct slice line, value;
	bool failed = false;

	*ret = (struct bounce){ 0 };
	while (slice_take_line(&raw, &line)) {
		if (field(line, S("Final-Recipient:"), &value))
			read_recipient(value, ret);
		else if (field(line, S("Action:"), &value))
			failed = failed || slice_caseeq(value, S("failed"));
		else if (field(line, S("Status:"), &value))
			ret->status = value;
		else if (field(line, S("Message-ID:"), &value))
			read_message(value, ret);
	}
	return failed && slice_starts(ret->status, S("5.")) &&
	       ret->recipient.len && ret->message.len;
}
