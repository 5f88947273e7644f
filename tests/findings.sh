#!/bin/sh
# findings.sh FOLDER - prints what valgrind found; exit 1 unless that is
# nothing. Its remarks on calls that it does not know (Landlock, seccomp) begin
# with "--" and are no findings.
set -u
n=$(find "$1" -name '[0-9]*' | wc -l)
if [ "$n" -eq 0 ]; then
	echo "valgrind: no process has run under it"
	exit 1
fi
if grep -h '^==' "$1"/[0-9]*; then
	echo "valgrind: the findings stand in $1"
	exit 1
fi
echo "valgrind: $n processes without a finding"
