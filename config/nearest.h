/*
 * nearest - the word that was probably meant.
 */
#ifndef CONFIG_NEAREST_H
#define CONFIG_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;  /* as written */
	const char *found; /* the closest candidate so far, or NULL */
	size_t distance;
};

void nearest_init(struct nearest *n, const char *word);
/* Offers a candidate; too distant ones are passed over. */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
