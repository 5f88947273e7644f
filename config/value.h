/*
 * value - one configured text, turned into what it stands for.
 *
 * Each gives PH_OK and fills *ret, or PH_BAD with the tail of a sentence in
 * err: "must be a span such as 90d, not \"90 days\"", to be put behind the
 * name of the key. URLs and file names of secrets never stand in err.
 */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include "ph/config.h"

enum status value_bool(struct slice s, bool *ret, struct err *err);
/* A whole number within min and max; a "%" may stand behind it. */
enum status value_count(struct slice s, int64_t min, int64_t max, int64_t *ret,
			struct err *err);
/* A decimal number from 0, with or without "%" behind it. */
enum status value_number(struct slice s, double *ret, struct err *err);
enum status value_span(struct slice s, int64_t *ret, struct err *err);
enum status value_time(struct slice s, int64_t *ret, struct err *err);
/* The place of s in words (NULL-ended). */
enum status value_word(struct slice s, const char *const *words, unsigned *ret,
		       struct err *err);
enum status value_digest(struct slice s, struct config_digest *ret,
			 struct err *err);
/* [days] HH:MM-HH:MM [zone], as "mon-fri 08:00-18:00 Europe/Berlin". */
enum status value_hours(struct slice s, struct arena *arena,
			struct config_hours *ret, struct err *err);
/* nothing, seen, move:FOLDER. */
enum status value_done(struct slice s, struct arena *arena,
		       enum config_done *ret, const char **ret_folder,
		       struct err *err);
/* An absolute path. */
enum status value_path(struct slice s, struct err *err);
/* "@author" and its like, or an address. */
enum status value_address(struct slice s, struct err *err);
enum status value_address_glob(struct slice s, struct err *err);
enum status value_domain(struct slice s, struct err *err);

/*
 * SCHEME://[USER@]HOST[:PORT][/PATH], the scheme one of schemes (NULL-ended).
 * A password inside is refused.
 */
enum status value_url(struct slice s, const char *const *schemes,
		      struct arena *arena, struct config_url *ret,
		      struct err *err);
/* %XX undone; PH_BAD for half an escape or a control character. */
enum status value_unescape(struct slice s, struct arena *arena,
			   const char **ret, struct err *err);

/* "a, b or c" for messages; cut at size. */
void value_join(const char *const *words, char *ret, size_t size);

#endif
