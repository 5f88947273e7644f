/*
 * Any text as the body of a mail: its first line is the subject, its second
 * the sender's name. What is read is printed both ways, so that each slice is
 * looked at and each index used.
 */
#include <stdint.h>
#include <stdlib.h>

#include "bot/print_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct arena arena;
static struct buf out;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct slice s = { (const char *)data, len };
	struct message msg = { 0 };
	struct report r;
	struct err err;

	slice_take_line(&s, &msg.subject);
	slice_take_line(&s, &msg.from.name);
	msg.bare = !msg.from.name.len;
	msg.text = s;
	arena_reset(&arena);
	buf_reset(&out);
	if (report_read(&msg, &arena, &r, &err) != PH_OK)
		return 0;
	print_report_json(&out, &r, "fuzz", -1);
	print_report_text(&out, &r, S("fuzz"));
	return 0;
}
