#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "mail/imap_list.h"
#include "mail/imap_session.h"
#include "ph/clock.h"
#include "ph/limits.h"

/* A body buffer that grew over this is given back after its batch. */
#define KEEP_BODY MIB

struct mailimap_set *imap_uid_set(const uint32_t *uids, size_t n)
{
	struct mailimap_set *set = mailimap_set_new_empty();
	size_t last;

	if (!set)
		out_of_memory();
	for (size_t i = 0; i < n; i = last + 1) {
		for (last = i; last + 1 < n && uids[last + 1] == uids[last] + 1;
		     last++)
			;
		if (mailimap_set_add_interval(set, uids[i], uids[last]) !=
		    MAILIMAP_NO_ERROR)
			out_of_memory();
	}
	return set;
}

/* A fetch under way. */
struct taking {
	struct imap *imap;
	struct imap_listed *wanted; /* rising */
	size_t n;
	imap_take_fn *take;
	void *arg;
	enum status status; /* of take */
	struct err *err;
};

static bool add_body(int type, struct mailimap_msg_att_body_section *section,
		     const char *ptr, size_t len, void *arg)
{
	struct taking *t = arg;

	(void)type;
	(void)section;
	buf_add(&t->imap->body, ptr, len);
	return t->status == PH_OK;
}

/* The answer's UID, if it has a body too. NIL is none. */
static uint32_t uid_with_body(const struct mailimap_msg_att *answer)
{
	uint32_t uid = 0;
	bool body = false;

	for (clistiter *i = clist_begin(answer->att_list); i;
	     i = clist_next(i)) {
		const struct mailimap_msg_att_item *item = clist_content(i);
		const struct mailimap_msg_att_static *att;

		if (item->att_type != MAILIMAP_MSG_ATT_ITEM_STATIC)
			continue;
		att = item->att_data.att_static;
		if (att->att_type == MAILIMAP_MSG_ATT_UID)
			uid = att->att_data.att_uid;
		else if (att->att_type == MAILIMAP_MSG_ATT_BODY_SECTION)
			body = att->att_data.att_body_section->sec_body_part;
	}
	return body ? uid : 0;
}

static struct imap_listed *find_wanted(const struct taking *t, uint32_t uid)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->wanted[middle].uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n && t->wanted[low].uid == uid ? &t->wanted[low] : NULL;
}

/* Our own work is not the server's time. */
static void give(struct taking *t, struct imap_listed *m, struct slice raw,
		 bool too_big)
{
	int64_t start = clock_mono_ms();
	struct imap_message message = { .uid = m->uid,
					.arrived = m->arrived,
					.size = m->size,
					.raw = raw,
					.too_big = too_big };

	m->given = true;
	if (too_big)
		message.raw = (struct slice){ "", 0 };
	t->status = t->take(t->arg, &message, t->err);
	t->imap->stream.deadline += clock_mono_ms() - start;
}

static void take_answer(struct mailimap_msg_att *answer, void *arg)
{
	struct taking *t = arg;
	struct buf *body = &t->imap->body;
	struct imap_listed *m = find_wanted(t, uid_with_body(answer));

	if (m && !m->given && t->status == PH_OK)
		give(t, m, buf_slice(body), body->full);
	buf_reset(body);
}

static struct mailimap_fetch_type *body_type(void)
{
	struct mailimap_fetch_type *type =
		mailimap_fetch_type_new_fetch_att_list_empty();
	struct mailimap_section *all = mailimap_section_new(NULL);
	struct mailimap_fetch_att *uid = mailimap_fetch_att_new_uid();
	struct mailimap_fetch_att *body =
		all ? mailimap_fetch_att_new_body_peek_section(all) : NULL;

	if (!type || !uid || !body ||
	    mailimap_fetch_type_new_fetch_att_list_add(type, uid) !=
		    MAILIMAP_NO_ERROR ||
	    mailimap_fetch_type_new_fetch_att_list_add(type, body) !=
		    MAILIMAP_NO_ERROR)
		out_of_memory();
	return type;
}

size_t imap_unsent(const struct imap *imap, uint32_t *ret)
{
	memcpy(ret, imap->unsent, imap->n_unsent * sizeof(*ret));
	return imap->n_unsent;
}

uint32_t imap_broke_at(const struct imap *imap)
{
	return imap->broke_at;
}

static void note_break(struct taking *t)
{
	for (size_t i = 0; i < t->n && !t->imap->broke_at; i++)
		if (!t->wanted[i].given)
			t->imap->broke_at = t->wanted[i].uid;
}

/* A server may leave out what is gone, and nothing else. */
static enum status all_came(struct taking *t)
{
	uint32_t left[LIMIT_BATCH];
	char said[sizeof(t->imap->stream.guard.said)];
	enum status s;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->wanted[i].given)
			left[n++] = t->wanted[i].uid;
	if (!n)
		return PH_OK;
	/* the next command forgets it */
	snprintf(said, sizeof(said), "%s", imap_said(t->imap));
	s = imap_list_unsent(t->imap, left, n, t->err);
	if (s == PH_NONE)
		return PH_OK;
	if (s != PH_OK)
		return s;
	return err_exit(t->err, PH_BAD, EX_UNAVAILABLE,
			"%s: UID %u in \"%s\" is there, but the server does "
			"not send it%s%s",
			t->imap->stream.where, (unsigned)t->imap->unsent[0],
			t->imap->folder, said[0] ? ": " : "", said);
}

static enum status stopped(struct taking *t)
{
	struct err mine = *t->err;

	/* the rest of the answer is still on its way */
	imap_stream_fail(&t->imap->stream, "the fetch was broken off here");
	*t->err = mine;
	return t->status;
}

static enum status take_bodies(struct taking *t)
{
	struct imap *imap = t->imap;
	uint32_t uids[LIMIT_BATCH] = { 0 };
	uint64_t bytes = 0;
	struct err said;
	enum status s;

	assert(t->n <= LIMIT_BATCH);
	for (size_t i = 0; i < t->n; i++) {
		uids[i] = t->wanted[i].uid;
		bytes += t->wanted[i].size;
	}
	imap->body.max = LIMIT_MAIL;
	buf_reset(&imap->body);
	imap_begin(imap, bytes ? bytes : 1);
	mailimap_set_msg_body_handler(imap->session, add_body, t);
	s = imap_run_fetch(imap, true, imap_uid_set(uids, t->n), body_type(),
			   take_answer, t, &said);
	mailimap_set_msg_body_handler(imap->session, NULL, NULL);
	if (imap->body.cap > KEEP_BODY)
		buf_release(&imap->body);
	if (t->status != PH_OK)
		return stopped(t);
	if (s != PH_OK && s != PH_BAD) {
		note_break(t);
		*t->err = said;
		return s;
	}
	/* NO may come after a part of the answer: what came is good */
	return all_came(t);
}

/* What is over the ceiling is told of, not fetched. */
static enum status take_listed(struct taking *t)
{
	if (t->n != 1 || t->wanted[0].size <= LIMIT_MAIL)
		return take_bodies(t);
	give(t, &t->wanted[0], (struct slice){ "", 0 }, true);
	return t->status;
}

/*
 * Picks the next batch off the list. What arrived before since is passed by;
 * one over the ceiling goes alone, so that UIDs rise.
 */
static size_t pick(struct imap *imap, int64_t since, struct imap_listed *ret)
{
	uint64_t bytes = 0;
	size_t n = 0;

	for (; imap->at_list < imap->n_list && n < LIMIT_BATCH;
	     imap->at_list++) {
		const struct imap_listed *m = &imap->list[imap->at_list];

		if (m->arrived < since)
			continue;
		if (n && (m->size > LIMIT_MAIL || ret[0].size > LIMIT_MAIL ||
			  bytes + m->size > LIMIT_BATCH_BYTES))
			break;
		ret[n++] = *m;
		bytes += m->size;
	}
	return n;
}

/* Makes the list's front the first message over `after`. */
static enum status advance(struct imap *imap, uint32_t after, struct err *err)
{
	if (after >= imap->list_after)
		while (imap->at_list < imap->n_list &&
		       imap->list[imap->at_list].uid <= after)
			imap->at_list++;
	else
		imap->n_list = 0;
	if (imap->at_list < imap->n_list)
		return PH_OK;
	return imap_list_after(imap, after, err);
}

enum status imap_fetch(struct imap *imap, uint32_t after, int64_t since,
		       imap_take_fn *take, void *arg, uint32_t *ret_last,
		       struct err *err)
{
	struct imap_listed batch[LIMIT_BATCH];
	struct taking t = { .imap = imap,
			    .wanted = batch,
			    .take = take,
			    .arg = arg,
			    .err = err };
	enum status s = advance(imap, after, err);
	uint32_t last;

	imap->n_unsent = imap->broke_at = 0;
	if (s != PH_OK)
		return s;
	t.n = pick(imap, since, batch);
	last = imap->list[imap->at_list - 1].uid;
	s = t.n ? take_listed(&t) : PH_OK;
	if (s == PH_OK || imap->n_unsent)
		*ret_last = last;
	return s;
}

enum status imap_next(struct imap *imap, uint32_t after, uint32_t *ret,
		      struct err *err)
{
	enum status s = advance(imap, after, err);

	if (s == PH_OK)
		*ret = imap->list[imap->at_list].uid;
	return s;
}

enum status imap_fetch_one(struct imap *imap, uint32_t uid, imap_take_fn *take,
			   void *arg, struct err *err)
{
	struct imap_listed m;
	struct taking t = { .imap = imap,
			    .wanted = &m,
			    .n = 1,
			    .take = take,
			    .arg = arg,
			    .err = err };
	enum status s = imap_list_range(imap, uid, uid, err);

	imap->n_unsent = imap->broke_at = 0;
	if (s == PH_OK && !imap->n_list)
		s = PH_NONE;
	if (s != PH_OK)
		return s;
	m = imap->list[0];
	imap->n_list = 0;
	s = take_listed(&t);
	return s == PH_OK && !m.given ? PH_NONE : s;
}
