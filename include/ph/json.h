/*
 * json - writes JSON (RFC 8259) straight into a buf.
 *
 * Commas and colons come by themselves. A key of NULL is for array elements
 * and the outermost value. Strings are any bytes: bad UTF-8 becomes U+FFFD and
 * control characters are escaped, so the output is always valid. Nesting over
 * 32 levels is our own mistake (assert).
 */
#ifndef PH_JSON_H
#define PH_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/slice.h"

struct json {
	struct buf *out;
	unsigned depth;
	uint32_t more; /* bit d: level d has an element already */
};

void json_begin(struct json *j, struct buf *out);
void json_open_object(struct json *j, const char *key);
void json_close_object(struct json *j);
void json_open_array(struct json *j, const char *key);
void json_close_array(struct json *j);
void json_put_str(struct json *j, const char *key, struct slice value);
void json_put_cstr(struct json *j, const char *key, const char *value);
/* As json_put_str, but an empty value writes nothing at all. */
void json_put_opt(struct json *j, const char *key, struct slice value);
void json_put_int(struct json *j, const char *key, int64_t value);
void json_put_bool(struct json *j, const char *key, bool value);
void json_put_null(struct json *j, const char *key);
/* The shortest decimal that reads back as the same double. Not for Inf, NaN. */
void json_put_double(struct json *j, const char *key, double value);
/* Ready JSON text, taken as it is. */
void json_put_raw(struct json *j, const char *key, struct slice value);

#endif
