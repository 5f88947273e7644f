#include "ph/err.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "ph/utf8.h"

void err_write(struct err *err, int exit_code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	err->exit_code = exit_code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	utf8_flatten(err->text, strlen(err->text));
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
