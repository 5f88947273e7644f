#include "bot/pattern.h"

#include <glib.h>
#include <stdio.h>
#include "ph/arena.h"

#define MAX_TEXT 4096

/* A GRegex is what a struct pattern is; only this file knows. */
static GRegex *regex_of(const struct pattern *p)
{
	return (GRegex *)p;
}

enum status pattern_new(struct slice text, enum pattern_kind kind,
			struct pattern **ret, struct err *err)
{
	static const char *const forms[] = {
		[PATTERN_SPACED] = "%.*s",
		[PATTERN_START] = "\\A(?:%.*s)",
		[PATTERN_WHOLE] = "\\A(?:%.*s)\\z",
	};
	GRegexCompileFlags flags = G_REGEX_RAW;
	GError *error = NULL;
	char full[MAX_TEXT + 32];
	GRegex *regex;

	if (text.len > MAX_TEXT || slice_chr(text, '\0'))
		return err_set(err, PH_BAD,
			       "expression over 4 KiB or with a "
			       "NUL");
	if (kind == PATTERN_SPACED)
		flags |= G_REGEX_EXTENDED;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(full, sizeof(full), forms[kind], S_FMT(text));
#pragma GCC diagnostic pop
	regex = g_regex_new(full, flags, 0, &error);
	if (!regex) {
		err_set(err, PH_BAD, "expression \"%.*s\": %s", S_FMT(text),
			error->message);
		g_error_free(error);
		return PH_BAD;
	}
	*ret = (struct pattern *)regex;
	return PH_OK;
}

void pattern_free(struct pattern *p)
{
	if (p)
		g_regex_unref(regex_of(p));
}

bool pattern_matches(const struct pattern *p, struct slice text)
{
	return g_regex_match_full(regex_of(p), text.len ? text.ptr : "",
				  (gssize)text.len, 0, 0, NULL, NULL);
}
