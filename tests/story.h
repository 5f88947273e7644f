/*
 * story - the desk's decisions, told as a story: mails come in, a clock that
 * the test owns goes on, and what was queued for whom, and why not, is compared
 * in words.
 *
 * Everything fails the test when it does not come out.
 */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H

#include "bot/desk.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "tests/robot_mail.h"

/* A Thursday, 2026-10-01 12:00:00 UTC: when a story begins. */
#define STORY_START 1790856000
#define STORY_DAY   86400

#define STORY_COMMIT_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define STORY_COMMIT_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"
#define STORY_COMMIT_C "ccccccccccccccccccccccccccccccccccccccc3"
#define STORY_NEXT                                                          \
	"https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git " \
	"master"
#define STORY_MAINLINE                                                     \
	"https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git " \
	"master"

/* What a notice of story_mail says: "first chat" STORY_SAYS. */
#define STORY_SAYS                                                        \
	": WORSE 12.0% will-it-scale.per_process_ops: mm: walk the list " \
	"under one lock\n"

struct story {
	struct store *store;
	struct config *config;
	struct desk desk;
	struct arena arena; /* for the whole story */
	struct err err;
	int64_t now;
};

extern struct story story;

/* A regression of will-it-scale in linux-next, 12 %, to author@example.org. */
extern const struct robot_mail story_mail;

/* A cmocka fixture: an empty state, a desk without a configuration. */
int story_begin(void **state);
int story_end(void **state);
/* The same with STORY_CHAT for a configuration. */
int story_begin_chat(void **state);

/* What runs from here on; the desk begins anew, without a tree. */
void story_config(const char *yaml);
#define STORY_CHAT                                      \
	"state: /tmp/x.db\nsend: true\noperator: ops\n" \
	"channels:\n"                                   \
	"  ops: {type: file, path: /tmp/ops}\n"         \
	"  chat: {type: file, path: /tmp/chat}\n"       \
	"routes:\n  - {match: {min_percent: 3}, to: [chat]}\n"
#define STORY_CHANNEL(channel)                                           \
	"state: /tmp/x.db\nsend: true\n"                                 \
	"smtp: {url: smtps://mail.example.org, from: bot@example.org}\n" \
	"channels:\n  c: {" channel "}\n"                                \
	"routes:\n  - {match: {min_percent: 1}, to: [c]}\n"

void story_ok(enum status st);

/* Takes a robot's mail in, undecided; its row. */
int64_t story_put(const struct robot_mail *m, enum proven proven);
/* Decides all that can be decided now. */
void story_decide(void);
/* Both of them. */
int64_t story_give(const struct robot_mail *m, enum proven proven);
/* The same for any mail. */
int64_t story_give_raw(const char *raw, enum proven proven);
/* A proven mail, and the notices that this one must lead to, each "first
 * CHANNEL TARGET: subject\n". */
int64_t story_tell(const struct robot_mail *m, const char *notices);

/* The notices of a message, as above; 0: all there are. */
void story_expect(int64_t message, const char *notices);
/* All that are still to be sent. */
void story_expect_pending(const char *notices);
/* The lines of the newest digest; "" when there is none. */
const char *story_digest(void);
/* A part that the path of the message's decision must have. */
void story_why(int64_t message, const char *part);

enum message_state story_state(int64_t message);
int64_t story_patch(int64_t message);
struct patch_row story_patch_row(int64_t message);
enum patch_life story_life(int64_t message);

/* What an operator does: sets the life of a message's patch, has a message
 * decided anew, silences results from now on. */
void story_set_life(int64_t message, enum patch_life life, const char *reason);
void story_again(int64_t message, bool vouched, bool resend);
void story_silence(const char *match, int64_t seconds);

/* Lets the desk do what is due now; when it wants to be called next. */
int64_t story_timers(void);

/* What the courier would send at this moment: true, and the row. */
bool story_due(struct outbox_row *ret);

#endif
