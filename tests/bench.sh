#!/bin/sh
# bench.sh PROGRAM... - runs the benchmarks and prints their rows as a table.
# A figure is for reading beside its aim: nothing here fails on being slow.
set -u
status=0
{
	printf 'work\tagainst\tmeasured\taim\n'
	for program in "$@"; do
		"$program" || {
			echo "bench: $program failed" >&2
			: >"${TMPDIR:-/tmp}/bench.$$"
		}
	done
} | awk -F '\t' '
	{ for (i = 1; i <= 4; i++) { cell[NR, i] = $i
		if (length($i) > width[i]) width[i] = length($i) } }
	END { for (r = 1; r <= NR; r++) printf "%-*s  %-*s  %-*s  %s\n",
		width[1], cell[r, 1], width[2], cell[r, 2], width[3], cell[r, 3],
		cell[r, 4] }'
if [ -e "${TMPDIR:-/tmp}/bench.$$" ]; then
	rm -f "${TMPDIR:-/tmp}/bench.$$"
	status=1
fi
exit $status
