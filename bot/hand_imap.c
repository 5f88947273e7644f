#include "bot/hand_imap.h"

#include <inttypes.h>
#include <stdio.h>
#include <sysexits.h>
#include "ph/imap.h"

struct search {
	struct hand *hand;
	const struct config_mailbox *box;
	const char *folder;
	uint32_t uid; /* 0: by id */
	struct slice id;
};

static enum status take(void *arg, const struct imap_message *m,
			struct err *err)
{
	struct search *q = arg;
	char where[1024];

	snprintf(where, sizeof(where), "%s/%s UID %" PRIu32, q->box->name,
		 q->folder, m->uid);
	if (m->too_big)
		return err_set(err, PH_BAD,
			       "%s: %u bytes, at most %zu are read", where,
			       m->size, LIMIT_MAIL);
	return hand_take(q->hand, m->raw, q->box->name, where, m->arrived, err);
}

static enum status look_in_folder(struct search *q, struct imap *imap,
				  struct err *err)
{
	struct imap_folder f;
	uint32_t uid = q->uid;
	size_t n = 1;
	enum status s = imap_select(imap, q->folder, &f, err);

	if (!s && !q->uid)
		s = imap_find_id(imap, q->id, &uid, 1, &n, err);
	if (s)
		return s;
	return n ? imap_fetch_one(imap, uid, take, q, err) : PH_NONE;
}

static enum status look_in_folders(struct search *q, struct imap *imap,
				   struct err *err)
{
	const char *const *folders;
	size_t n;
	enum status s = imap_folders(imap, &folders, &n, err);

	if (s)
		return s;
	s = PH_NONE;
	for (size_t i = 0; i < n && s == PH_NONE; i++) {
		q->folder = folders[i];
		s = look_in_folder(q, imap, err);
	}
	return s;
}

static enum status look_in_mailbox(struct search *q, struct err *err)
{
	struct imap *imap;
	enum status s = imap_open(q->box, &imap, err);

	if (s)
		return s;
	s = look_in_folders(q, imap, err);
	imap_close(imap);
	return s;
}

static enum status no_such_mailbox(const struct config *config,
				   const char *name, struct err *err)
{
	struct buf names;

	buf_init(&names);
	for (size_t i = 0; i < config->n_mailboxes; i++)
		buf_printf(&names, "%s%s", i ? ", " : "",
			   config->mailboxes[i].name);
	err_exit(err, PH_BAD, EX_USAGE, "%s: %s has the mailboxes: %s", name,
		 config->file, names.len ? buf_str(&names) : "none");
	buf_release(&names);
	return PH_BAD;
}

enum status hand_imap_uid(struct hand *h, const char *name, struct err *err)
{
	struct slice rest = slice_of(name), box_name;
	struct search q = { .hand = h };
	struct arena arena;
	uint64_t uid;
	enum status s;

	if (!slice_skip(&rest, S("uid:")) ||
	    !slice_take_until(&rest, '/', &box_name) ||
	    !slice_take_uint(&rest, UINT32_MAX, &uid) || rest.len || !uid)
		return err_exit(err, PH_BAD, EX_USAGE,
				"%s: not of the form uid:MAILBOX/NUMBER", name);
	arena_init(&arena);
	q.box = config_mailbox(h->config, arena_str(&arena, box_name));
	arena_release(&arena);
	if (!q.box)
		return no_such_mailbox(h->config, name, err);
	q.uid = (uint32_t)uid;
	s = look_in_mailbox(&q, err);
	if (s == PH_NONE)
		err_exit(err, s, EX_NOINPUT, "%s: no such message", name);
	return s;
}

enum status hand_imap_id(struct hand *h, struct slice id, struct err *err)
{
	struct search q = { .hand = h, .id = id };
	enum status s = PH_NONE;

	for (size_t i = 0; i < h->config->n_mailboxes && s != PH_OK; i++) {
		q.box = &h->config->mailboxes[i];
		s = look_in_mailbox(&q, err);
		if (s && s != PH_NONE)
			hand_fail(h, s, err);
	}
	return s == PH_OK ? PH_OK : PH_NONE;
}
