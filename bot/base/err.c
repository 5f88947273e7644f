#include "ph/err.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "ph/utf8.h"

static void write_text(struct err *err, int exit_code, const char *fmt,
		       va_list ap)
{
	err->exit_code = exit_code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	utf8_flatten(err->text, strlen(err->text));
}

enum status err_set(struct err *err, enum status status, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	va_start(ap, fmt);
	write_text(err, 0, fmt, ap);
	va_end(ap);
	return status;
}

enum status err_exit(struct err *err, enum status status, int exit_code,
		     const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	va_start(ap, fmt);
	write_text(err, exit_code, fmt, ap);
	va_end(ap);
	return status;
}

int err_exit_code(const struct err *err, enum status status)
{
	if (status != PH_OK && err && err->exit_code)
		return err->exit_code;
	switch (status) {
	case PH_OK:
		return EX_OK;
	case PH_NONE:
	case PH_BAD:
		return EX_DATAERR;
	case PH_RETRY:
		return EX_TEMPFAIL;
	case PH_FATAL:
		break;
	}
	return EX_SOFTWARE;
}
