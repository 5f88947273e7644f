#include "notify/site/scale.h"

#include <math.h>

#define WANTED 5 /* ticks, about */

/* Beyond these, differences overflow or vanish; no metric comes near. */
#define LARGEST	 1e300
#define SMALLEST 1e-300

static double within(double value)
{
	return fmax(-LARGEST, fmin(LARGEST, value));
}

/* The smallest of 1, 2, 5 and 10 times a power of ten that is not below. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough)));
	double times = rough / power;

	if (times <= 1)
		return power;
	if (times <= 2)
		return 2 * power;
	return times <= 5 ? 5 * power : 10 * power;
}

static double step_of(double low, double high)
{
	double rough = high / WANTED - low / WANTED;

	return round_step(fmax(rough, SMALLEST));
}

/* Room for a value that all others are equal to. */
static void part(double *low, double *high)
{
	double room = fmax(fabs(*low) * 1e-3, SMALLEST);

	/* what is too fine for a double is no difference either */
	if (*high - *low > fabs(*low) * 1e-12 && *high - *low > SMALLEST)
		return;
	*low -= room;
	*high += room;
}

void scale_init(struct scale *s, double low, double high, double from,
		double to)
{
	double step;

	low = within(low);
	high = within(high);
	part(&low, &high);
	step = step_of(low, high);
	*s = (struct scale){ .low = floor(low / step) * step,
			     .high = ceil(high / step) * step,
			     .from = from,
			     .to = to };
	for (size_t i = 0; i < SCALE_TICKS; i++) {
		double tick = s->low + (double)i * step;

		if (tick > s->high + step / 2)
			break;
		s->tick[s->n_ticks++] = tick;
	}
}

double scale_place(const struct scale *s, double value)
{
	double share =
		(within(value) / 2 - s->low / 2) / (s->high / 2 - s->low / 2);

	share = fmax(0, fmin(1, share));
	return s->from + share * (s->to - s->from);
}
