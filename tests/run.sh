#!/bin/sh
# run.sh WRAPPER PROGRAM... - runs test programs one after another, each from
# the top of the tree; prints the output of those that fail, then one closing
# line. WRAPPER may be empty. Exit 1 when any failed.
set -u
wrapper=$1
shift
passed=0 failed=0
for program in "$@"; do
	out=$($wrapper "$program" 2>&1)
	status=$?
	n=$(printf '%s\n' "$out" | grep -c '^\[       OK \]')
	# each is named twice
	bad=$(printf '%s\n' "$out" | grep '^\[  FAILED  \] [^0-9]' | sort -u |
		grep -c .)
	if [ $status -ne 0 ]; then
		printf '%s\n' "$out"
		[ "$bad" -gt 0 ] || bad=1
		echo "FAILED $program (exit $status)"
		failed=$((failed + bad))
	else
		echo "ok     $program ($n)"
		printf '%s\n' "$out" | grep '^\[  SKIPPED \]' || :
	fi
	passed=$((passed + n))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
