#include "config/nearest.h"

#include <string.h>

#define MAX_WORD 64

static size_t min3(size_t a, size_t b, size_t c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Letters to insert, drop or change to get from a to b; two neighbours that
 * swapped places count as one. */
static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	size_t before[MAX_WORD + 1], row[MAX_WORD + 1], next[MAX_WORD + 1];

	if (la > MAX_WORD || lb > MAX_WORD)
		return MAX_WORD;
	memset(before, 0, sizeof(before));
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		next[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			next[j] = min3(row[j] + 1, next[j - 1] + 1,
				       row[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < next[j])
				next[j] = before[j - 2] + 1;
		}
		memcpy(before, row, sizeof(row));
		memcpy(row, next, sizeof(next));
	}
	return row[lb];
}

void nearest_init(struct nearest *n, const char *word)
{
	size_t len = strlen(word);

	*n = (struct nearest){ word, NULL, len < 4 ? 2 : len < 8 ? 3 : 4 };
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t d = distance(n->word, candidate);

	if (d >= n->distance)
		return;
	n->found = candidate;
	n->distance = d;
}
