/*
 * ask - what every command that looks into the state starts and ends with, and
 * how it prints.
 */
#ifndef BOT_ASK_H
#define BOT_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/args.h"
#include "bot/store/open.h"
#include "bot/store/patch.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/json.h"
#include "ph/slice.h"

struct ask {
	/* set before ask_open */
	enum config_use use;
	bool makes_state; /* where there is none yet */

	struct config *config;
	struct store *store;
	struct arena arena;
	struct buf out; /* what is to be printed */
	bool json;
	bool changed; /* something was written: the desk or courier has work */
	int64_t now;
};

/* Takes "--format text|json". *ret_code is set when its value is neither. */
bool ask_format(struct ask *a, struct args *args, int *ret_code);

/*
 * Reads the configuration and opens the state. 0: ask_close is to follow. Else
 * an exit code; the reason has been said and nothing is held.
 */
int ask_open(struct ask *a, const char *config_path);

/* Prints what is left in out, says what failed, and gives the exit code. */
int ask_close(struct ask *a, enum status st, const struct err *err);

/*
 * The same for a command that may have changed something: then a running watch
 * is woken, or the desk's and the courier's work is done now, which wants
 * CONFIG_TO_WORK.
 */
int ask_deliver(struct ask *a, enum status st, const struct err *err);

void ask_flush(struct ask *a);

/* Text from outside, fit for a terminal. */
void put_clean(struct buf *b, struct slice s);
/* The same in a column: cut to width code points, or filled up to it. */
void put_column(struct buf *b, struct slice s, size_t width);
/* "2026-10-01 12:00", or "-" for 0. UTC. */
void put_time(struct buf *b, int64_t t);
/* A time for JSON; 0 writes nothing. */
void put_json_time(struct json *j, const char *key, int64_t t);

/*
 * A channel by its name. PH_BAD: there is none; err says which was probably
 * meant (exit 78).
 */
enum status ask_channel(const struct config *config, const char *name,
			const struct config_channel **ret, struct err *err);

/* A patch that is to be changed or told, by what a person types, so never by a
 * part of its title. PH_BAD: there is none, or several (exit 65). */
enum status ask_patch(struct ask *a, const char *name, struct patch_row *ret,
		      struct err *err);

int64_t ask_now(void);

/* Takes "--since TIME": a span back from now, or a date. *ret_code is set when
 * its value is neither. */
bool ask_since(struct args *args, int64_t now, int64_t *ret, int *ret_code);
/* The same for an option of another name. */
bool ask_time(struct args *args, const char *name, int64_t now, int64_t *ret,
	      int *ret_code);

/* Who runs this: the login behind sudo, else the user's name. */
struct slice ask_who(struct arena *arena);

#endif
