/*
 * Raw bytes to struct message: the screen, MIME, charsets and header text.
 * What comes out must be fit for everyone behind it, whatever went in.
 */
#include <assert.h>
#include "ph/addr.h"
#include "ph/limits.h"
#include "ph/message.h"
#include "ph/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(struct slice s)
{
	assert(utf8_valid(s));
	for (size_t i = 0; i < s.len; i++)
		assert((unsigned char)s.ptr[i] >= 0x20 && s.ptr[i] != 0x7f);
}

static void check_people(const struct person *list, size_t n)
{
	assert(n <= LIMIT_PEOPLE);
	for (size_t i = 0; i < n; i++) {
		check_field(list[i].name);
		assert(addr_valid(list[i].address));
	}
}

static void check(const struct message *m)
{
	assert(m->text.len <= LIMIT_TEXT && utf8_valid(m->text));
	assert(!slice_chr(m->text, '\0'));
	assert(!slice_chr(m->text, '\r'));
	check_field(m->id);
	check_field(m->subject);
	check_field(m->from.name);
	check_field(m->in_reply_to);
	check_field(m->list);
	check_people(m->to, m->n_to);
	check_people(m->cc, m->n_cc);
	for (size_t i = 0; i < m->n_references; i++)
		check_field(m->references[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice raw = { (const char *)data, size };
	struct arena arena;
	struct message m;
	struct err err;

	arena_init(&arena);
	if (message_read(raw, &arena, &m, &err) == PH_OK)
		check(&m);
	arena_release(&arena);
	return 0;
}
