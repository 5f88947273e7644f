#include "bot/trouble.h"

#include "bot/store/message.h"
#include "bot/tell.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "ph/log.h"

/* since is a part of the key: what came back later is news. */
static enum status tell(const struct duty *duty, struct store *s,
			const char *what, int64_t since, const char *subject,
			const char *text, struct err *err)
{
	const char *name = duty->box->name;
	struct arena arena;
	struct desk desk;
	enum status st;

	arena_init(&arena);
	desk_init(&desk, duty->config, s, NULL);
	st = desk_tell_operator(
		&desk,
		slice_of(arena_printf(&arena, "%s:%s:%lld", what, name,
				      (long long)since)),
		slice_of(arena_printf(&arena, "mailbox %s: %s", name, subject)),
		slice_of(text), clock_wall(), err);
	arena_release(&arena);
	if (st == PH_OK)
		wake_ring(duty->courier_bell);
	return st == PH_NONE ? PH_OK : st;
}

enum status trouble_mailbox(const struct duty *duty, struct store *s,
			    const char *why, bool wants_person, struct err *err)
{
	int64_t since;
	enum status st =
		mailbox_trouble(s, slice_of(duty->box->name), slice_of(why),
				wants_person, clock_wall(), &since, err);

	if (st != PH_OK || !wants_person)
		return st;
	return tell(duty, s, "trouble", since, "it cannot be read", why, err);
}

enum status trouble_login_works(const struct duty *duty, struct store *s,
				struct err *err)
{
	return mailbox_login_works(s, slice_of(duty->box->name), err);
}

enum status trouble_done(const struct duty *duty, struct store *s,
			 const char *why, struct err *err)
{
	struct slice reason = slice_of(why ? why : "");
	int64_t now = clock_wall();
	bool is_new;
	enum status st = mailbox_refusal(s, slice_of(duty->box->name), reason,
					 now, &is_new, err);

	if (st != PH_OK || !is_new)
		return st;
	log_warn("%s; mails are read all the same, and are done there when the "
		 "server lets us",
		 why);
	return tell(duty, s, "done", now, "read mails stay as they were", why,
		    err);
}
