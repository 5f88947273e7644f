/* Any subject line: what comes out lies inside it. */
#include <stdint.h>
#include <stdlib.h>

#include "mail/report/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must_lie_in(struct slice part, struct slice whole)
{
	if (part.len && (part.ptr < whole.ptr ||
			 part.ptr + part.len > whole.ptr + whole.len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct slice s = { (const char *)data, len };
	struct subject got;

	subject_read(s, &got);
	must_lie_in(got.label, s);
	must_lie_in(got.subsystem, s);
	must_lie_in(got.commit, s);
	must_lie_in(got.title, s);
	must_lie_in(got.tail, s);
	must_lie_in(got.metric, s);
	if (got.verdict && (!got.metric.len || got.percent < 0))
		abort();
	return 0;
}
