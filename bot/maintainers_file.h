/*
 * maintainers_file - MAINTAINERS as it is kept: sections of lines, between
 * maintainers_read.c, which makes it, and maintainers.c, which asks it.
 */
#ifndef BOT_MAINTAINERS_FILE_H
#define BOT_MAINTAINERS_FILE_H

#include "bot/maintainers.h"
#include "bot/pattern.h"

struct maintainers_line {
	char letter; /* a blank: no good expression, fits nothing */
	struct slice value;
	struct pattern *pattern; /* N, K, and an F or X that is no plain glob */
};

struct maintainers_section {
	struct slice title;
	size_t first, n; /* in lines */
};

struct maintainers {
	struct arena arena;
	struct maintainers_line *lines;
	struct maintainers_section *sections;
	size_t n_lines, cap_lines, n_sections, cap_sections;
	size_t n_bad;
};

#endif
