#include "mail/report/parse.h"

enum status legacy_take(struct parse *p, const struct line *dashes)
{
	(void)p;
	(void)dashes;
	return PH_NONE;
}
