#include "mail/imap_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include "ph/clock.h"

/* libetpan calls the handler of FETCH answers only when this is set too. */
static void no_progress(size_t current, size_t maximum, void *arg)
{
	(void)current;
	(void)maximum;
	(void)arg;
}

enum status imap_run_fetch(struct imap *imap, bool by_uid,
			   struct mailimap_set *set,
			   struct mailimap_fetch_type *type,
			   mailimap_msg_att_handler *handler, void *arg,
			   struct err *err)
{
	mailimap *session = imap->session;
	char doing[300];
	clist *rest = NULL;
	int r;

	mailimap_set_progress_callback(session, no_progress, NULL, NULL);
	mailimap_set_msg_att_handler(session, handler, arg);
	r = by_uid ? mailimap_uid_fetch(session, set, type, &rest)
		   : mailimap_fetch(session, set, type, &rest);
	mailimap_set_msg_att_handler(session, NULL, NULL);
	mailimap_set_progress_callback(session, NULL, NULL, NULL);
	if (r == MAILIMAP_NO_ERROR && rest)
		mailimap_fetch_list_free(rest);
	mailimap_set_free(set);
	mailimap_fetch_type_free(type);
	snprintf(doing, sizeof(doing), "fetch from \"%s\"", imap->folder);
	return imap_result(imap, r, doing, err);
}

static void add_att(struct mailimap_fetch_type *type,
		    struct mailimap_fetch_att *att)
{
	if (!att || mailimap_fetch_type_new_fetch_att_list_add(type, att) !=
			    MAILIMAP_NO_ERROR)
		out_of_memory();
}

static struct mailimap_fetch_type *new_type(void)
{
	struct mailimap_fetch_type *type =
		mailimap_fetch_type_new_fetch_att_list_empty();

	if (!type)
		out_of_memory();
	add_att(type, mailimap_fetch_att_new_uid());
	return type;
}

/* A zone of -730 is seven and a half hours behind UTC. */
static int64_t seconds_of(const struct mailimap_date_time *t)
{
	int64_t zone = (t->dt_zone / 100 * 60 + t->dt_zone % 100) * 60;

	if (t->dt_month < 1 || t->dt_month > 12 || t->dt_year < 1970 ||
	    t->dt_year > 9999)
		return 0;
	return clock_days(t->dt_year, t->dt_month, t->dt_day) * 86400 +
	       t->dt_hour * 3600 + t->dt_min * 60 + t->dt_sec - zone;
}

static struct imap_listed read_answer(const struct mailimap_msg_att *answer)
{
	struct imap_listed m = { 0 };

	for (clistiter *i = clist_begin(answer->att_list); i;
	     i = clist_next(i)) {
		const struct mailimap_msg_att_item *item = clist_content(i);
		const struct mailimap_msg_att_static *att;

		if (item->att_type != MAILIMAP_MSG_ATT_ITEM_STATIC)
			continue;
		att = item->att_data.att_static;
		if (att->att_type == MAILIMAP_MSG_ATT_UID)
			m.uid = att->att_data.att_uid;
		else if (att->att_type == MAILIMAP_MSG_ATT_RFC822_SIZE)
			m.size = att->att_data.att_rfc822_size;
		else if (att->att_type == MAILIMAP_MSG_ATT_INTERNALDATE &&
			 att->att_data.att_internal_date)
			m.arrived = seconds_of(att->att_data.att_internal_date);
	}
	return m;
}

struct range {
	struct imap *imap;
	uint32_t first, last;
};

static void add_listed(struct mailimap_msg_att *answer, void *arg)
{
	const struct range *range = arg;
	struct imap *imap = range->imap;
	struct imap_listed m = read_answer(answer);

	/* news about other messages comes in between; and no server sends
	 * more answers than there are numbers, unless it means harm */
	if (m.uid < range->first || m.uid > range->last ||
	    imap->n_list == IMAP_LIST_WINDOW)
		return;
	if (imap->n_list == imap->cap_list) {
		imap->cap_list = imap->cap_list ? imap->cap_list * 2 : 64;
		imap->list = xrealloc(imap->list,
				      imap->cap_list * sizeof(*imap->list));
	}
	imap->list[imap->n_list++] = m;
}

static int by_uid(const void *a, const void *b)
{
	const struct imap_listed *x = a, *y = b;

	return (x->uid > y->uid) - (x->uid < y->uid);
}

/* A message may be told of twice; the fuller answer (with a size) counts. */
static void sort_list(struct imap *imap)
{
	size_t n = 0;

	if (imap->n_list)
		qsort(imap->list, imap->n_list, sizeof(*imap->list), by_uid);
	for (size_t i = 0; i < imap->n_list; i++) {
		struct imap_listed *m = &imap->list[i];

		if (n && imap->list[n - 1].uid == m->uid) {
			if (m->size)
				imap->list[n - 1] = *m;
		} else {
			imap->list[n++] = *m;
		}
	}
	imap->n_list = n;
}

enum status imap_list_range(struct imap *imap, uint32_t first, uint32_t last,
			    struct err *err)
{
	struct mailimap_fetch_type *type = new_type();
	struct mailimap_set *set = mailimap_set_new_interval(first, last);
	struct range range = { imap, first, last };
	enum status s;

	if (!set)
		out_of_memory();
	add_att(type, mailimap_fetch_att_new_rfc822_size());
	add_att(type, mailimap_fetch_att_new_internaldate());
	imap->n_list = imap->at_list = 0;
	imap->list_after = first - 1;
	imap_begin(imap, 0);
	s = imap_run_fetch(imap, true, set, type, add_listed, &range, err);
	sort_list(imap);
	/* NO with some answers: they are true, and the next call asks again */
	if (s == PH_BAD && imap->n_list)
		s = PH_OK;
	return s == PH_BAD ? PH_RETRY : s;
}

struct one {
	uint32_t sequence, uid;
};

static void keep_uid(struct mailimap_msg_att *answer, void *arg)
{
	struct one *one = arg;

	if (answer->att_number == one->sequence)
		one->uid = read_answer(answer).uid;
}

/* Sequence numbers have no gaps, and FETCH by them lets none change. */
static enum status uid_of(struct imap *imap, uint32_t sequence, uint32_t *ret,
			  struct err *err)
{
	struct mailimap_set *set = mailimap_set_new_single(sequence);
	struct one one = { sequence, 0 };
	enum status s;

	if (!set)
		out_of_memory();
	imap_begin(imap, 0);
	s = imap_run_fetch(imap, false, set, new_type(), keep_uid, &one, err);
	if (s == PH_OK && !one.uid)
		return imap_nonsense(imap, err,
				     "message %u of %u in \"%s\" has no UID",
				     (unsigned)sequence,
				     (unsigned)imap_exists(imap), imap->folder);
	*ret = one.uid;
	return s == PH_BAD ? PH_RETRY : s;
}

/*
 * The lowest UID over `after`, wherever it is. A mailbox may have lost
 * millions of UIDs; its sequence numbers find the next in a few steps.
 */
static enum status find_next(struct imap *imap, uint32_t after, uint32_t *ret,
			     struct err *err)
{
	uint32_t low = 1, high = imap_exists(imap), uid = 0, found = 0;
	enum status s;

	if (!high)
		return PH_NONE;
	s = uid_of(imap, high, &found, err);
	if (s != PH_OK)
		return s;
	if (found <= after)
		return PH_NONE;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		s = uid_of(imap, middle, &uid, err);
		if (s != PH_OK)
			return s;
		if (uid > after) {
			high = middle;
			found = uid;
		} else {
			low = middle + 1;
		}
	}
	*ret = found;
	return PH_OK;
}

static enum status list_window(struct imap *imap, uint32_t first,
			       struct err *err)
{
	uint32_t room = UINT32_MAX - first;
	uint32_t more =
		room < IMAP_LIST_WINDOW - 1 ? room : IMAP_LIST_WINDOW - 1;

	return imap_list_range(imap, first, first + more, err);
}

enum status imap_list_after(struct imap *imap, uint32_t after, struct err *err)
{
	enum status s;
	uint32_t next;

	if (after == UINT32_MAX)
		return PH_NONE;
	s = list_window(imap, after + 1, err);
	if (s != PH_OK || imap->n_list)
		return s;
	/* The last look past the window holds while no message comes. */
	if (imap->looked_past && imap->looked_past == imap_exists(imap))
		return PH_NONE;
	s = find_next(imap, after, &next, err);
	if (s == PH_NONE)
		imap->looked_past = imap_exists(imap);
	if (s != PH_OK)
		return s;
	s = list_window(imap, next, err);
	imap->list_after = after;
	return s == PH_OK && !imap->n_list ? PH_NONE : s;
}

struct remaining {
	const uint32_t *uids;
	bool there[LIMIT_BATCH];
	size_t n;
};

static void mark_there(struct mailimap_msg_att *answer, void *arg)
{
	uint32_t uid = read_answer(answer).uid;
	struct remaining *r = arg;

	for (size_t i = 0; i < r->n; i++)
		r->there[i] |= r->uids[i] == uid;
}

enum status imap_list_unsent(struct imap *imap, const uint32_t *uids, size_t n,
			     struct err *err)
{
	struct remaining r = { .uids = uids, .n = n };
	enum status s;

	assert(n <= LIMIT_BATCH);
	imap_begin(imap, 0);
	s = imap_run_fetch(imap, true, imap_uid_set(uids, n), new_type(),
			   mark_there, &r, err);
	if (s != PH_OK)
		return s == PH_BAD ? PH_RETRY : s;
	for (size_t i = 0; i < n; i++)
		if (r.there[i])
			imap->unsent[imap->n_unsent++] = uids[i];
	return imap->n_unsent ? PH_OK : PH_NONE;
}
