#include <stdio.h>
#include "mail/imap_session.h"

/*
 * What the server is told of mails that are recorded here, and how one is
 * found again by its Message-ID.
 */

static bool is_searchable(struct slice id)
{
	for (size_t i = 0; i < id.len; i++)
		if (id.ptr[i] <= ' ' || id.ptr[i] > '~' || id.ptr[i] == '"' ||
		    id.ptr[i] == '\\')
			return false;
	return id.len > 0 && id.len <= 998;
}

enum status imap_find_id(struct imap *imap, struct slice id, uint32_t *ret,
			 size_t max, size_t *ret_n, struct err *err)
{
	struct mailimap_search_key *key;
	struct arena arena;
	clist *found = NULL;
	enum status s;
	int r;

	*ret_n = 0;
	if (!is_searchable(id))
		return err_set(err, PH_BAD, "\"%.*s\" is no Message-ID",
			       S_FMT(id));
	arena_init(&arena);
	key = mailimap_search_key_new_header(xstrdup("Message-ID"),
					     xstrdup(arena_str(&arena, id)));
	arena_release(&arena);
	if (!key)
		out_of_memory();
	imap_begin(imap, 0);
	r = mailimap_uid_search(imap->session, NULL, key, &found);
	mailimap_search_key_free(key);
	s = imap_result(imap, r, "search by Message-ID", err);
	if (s != PH_OK)
		return s;
	for (clistiter *i = clist_begin(found); i && *ret_n < max;
	     i = clist_next(i))
		ret[(*ret_n)++] = *(const uint32_t *)clist_content(i);
	mailimap_search_result_free(found);
	return PH_OK;
}

static enum status add_flag(struct imap *imap, struct mailimap_set *set,
			    struct mailimap_flag *flag, struct err *err)
{
	struct mailimap_flag_list *flags = mailimap_flag_list_new_empty();
	struct mailimap_store_att_flags *add;
	int r;

	if (!flags || !flag ||
	    mailimap_flag_list_add(flags, flag) != MAILIMAP_NO_ERROR)
		out_of_memory();
	add = mailimap_store_att_flags_new_add_flags_silent(flags);
	if (!add)
		out_of_memory();
	imap_begin(imap, 0);
	r = mailimap_uid_store(imap->session, set, add);
	mailimap_store_att_flags_free(add);
	return imap_result(imap, r, "mark mails as done", err);
}

/*
 * Without MOVE and UIDPLUS the copied mails stay behind, marked as deleted:
 * a plain EXPUNGE would also remove what somebody else has marked.
 */
static enum status copy_and_delete(struct imap *imap, struct mailimap_set *set,
				   const char *folder, struct err *err)
{
	enum status s;
	int r;

	imap_begin(imap, 0);
	r = mailimap_uid_copy(imap->session, set, folder);
	s = imap_result(imap, r, "copy done mails", err);
	if (s == PH_OK)
		s = add_flag(imap, set, mailimap_flag_new_deleted(), err);
	if (s != PH_OK || !imap->has_uidplus)
		return s;
	imap_begin(imap, 0);
	r = mailimap_uid_expunge(imap->session, set);
	return imap_result(imap, r, "remove done mails", err);
}

static enum status move_once(struct imap *imap, struct mailimap_set *set,
			     const char *folder, struct err *err)
{
	int r;

	if (!imap->has_move)
		return copy_and_delete(imap, set, folder, err);
	imap_begin(imap, 0);
	r = mailimap_uid_move(imap->session, set, folder);
	return imap_result(imap, r, "move done mails", err);
}

static enum status move(struct imap *imap, struct mailimap_set *set,
			struct err *err)
{
	struct arena arena;
	struct slice said;
	enum status s;
	char *folder;

	arena_init(&arena);
	folder = imap_name_to_wire(&arena, slice_of(imap->box->done_folder));
	s = move_once(imap, set, folder, err);
	said = slice_of(imap_said(imap));
	/* RFC 3501, 6.4.7: the folder may be made, and it will work then */
	if (s == PH_BAD && slice_caseskip(&said, S("[TRYCREATE]"))) {
		imap_begin(imap, 0);
		s = imap_result(imap, mailimap_create(imap->session, folder),
				"create the folder for done mails", err);
		if (s == PH_OK)
			s = move_once(imap, set, folder, err);
	}
	arena_release(&arena);
	return s;
}

enum status imap_done(struct imap *imap, const uint32_t *uids, size_t n,
		      struct err *err)
{
	struct mailimap_set *set;
	enum status s = PH_OK;

	if (!n || imap->box->done == DONE_NOTHING)
		return PH_OK;
	set = imap_uid_set(uids, n);
	if (imap->box->done == DONE_SEEN)
		s = add_flag(imap, set, mailimap_flag_new_seen(), err);
	else
		s = move(imap, set, err);
	mailimap_set_free(set);
	return s;
}
