/*
 * Bytes as the text of a reply, and as a bounce: what is taken stands in the
 * input, is of the form that is promised, and never comes out of a quotation.
 */
#include <stdint.h>
#include <stdlib.h>

#include "bot/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_inside(struct slice part, struct slice whole)
{
	if (!part.len)
		return;
	must(part.ptr >= whole.ptr &&
	     part.ptr + part.len <= whole.ptr + whole.len);
	must(!slice_chr(part, '\n'));
}

static void must_be_commit(struct slice arg)
{
	must(arg.len >= 8 && arg.len <= 40);
	for (size_t i = 0; i < arg.len; i++)
		must(is_hex(arg.ptr[i]));
}

static void try_command(struct slice in)
{
	struct reply_command c;

	if (!reply_read(in, &c))
		return;
	must_be_inside(c.line, in);
	must_be_inside(c.arg, in);
	must(slice_caseeq(slice_head(c.line, 11), S("#perfherald")));
	if (c.verb == REPLY_DUP || c.verb == REPLY_FIXED)
		must_be_commit(c.arg);
	else if (c.verb == REPLY_INVALID)
		must(c.arg.len);
	else
		must(!c.arg.len);
}

static void try_bounce(struct slice in)
{
	struct bounce b;

	if (!bounce_read(in, &b))
		return;
	must_be_inside(b.recipient, in);
	must_be_inside(b.message, in);
	must_be_inside(b.status, in);
	must(b.recipient.len && b.message.len);
	must(slice_starts(b.status, S("5.")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct slice in = { (const char *)data, len };

	try_command(in);
	try_bounce(in);
	return 0;
}
