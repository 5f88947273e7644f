# tables.awk - turns config/{metrics,families,hosts}.tsv into C initialisers.
# Braces of a pattern are written out: `a.{b,c}` becomes two rows, in order.
# Any mistake in a file ends the build.
#
#	awk -f tables.awk metrics.tsv families.tsv hosts.tsv >metric_tables.h
BEGIN {
	FS = "\t"
	print "/* Made by config/dev/tables.awk; change config/NAME.tsv. */"
}

function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

function quoted(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	# "??" begins a trigraph
	gsub(/\?/, "\\?", s)
	return "S_INIT(\"" s "\")"
}

# Writes one row for each way through the braces; a stack, no recursion.
function expand(pattern, rest,    stack, n, at, end, parts, k, i, one) {
	n = 1
	stack[1] = pattern
	while (n > 0) {
		one = stack[n--]
		at = index(one, "{")
		if (!at) {
			printf "\t{ %s, %s },\n", quoted(one), rest
			continue
		}
		end = index(one, "}")
		if (end < at)
			fail("a brace is not closed")
		k = split(substr(one, at + 1, end - at - 1), parts, ",")
		for (i = k; i > 0; i--)
			stack[++n] = substr(one, 1, at - 1) parts[i] \
				substr(one, end + 1)
	}
}

/^#/ || /^$/ { next }

FILENAME != file {
	if (file)
		print "};\n"
	file = FILENAME
	if (file ~ /metrics/)
		print "static const struct metric_rule metric_rules[] = {"
	else if (file ~ /families/)
		print "static const struct name_row families[] = {"
	else
		print "static const struct name_row host_codes[] = {"
}

file ~ /metrics/ {
	if ($2 == "+")
		better = "BETTER_HIGHER"
	else if ($2 == "-")
		better = "BETTER_LOWER"
	else if ($2 == ".")
		better = "BETTER_UNKNOWN"
	else
		fail("better is +, - or .")
	expand($1, better ", " quoted($3))
	next
}

NF != 2 || $2 == "" { fail("two columns are wanted") }
{ printf "\t{ %s, %s },\n", quoted($1), quoted($2) }

END {
	if (!failed)
		print "};"
}
