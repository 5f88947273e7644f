#!/bin/sh
# validators.sh DIR [BUILD] - holds payloads and mails against the vendors' own
# packages: DIR is a folder with check.js, check-mail.js and http-sink.js, which
# is copied and set up with npm in a folder of its own. BUILD is where the test
# programs are (build). Skipped by name without DIR or Node 20.
set -eu
folder=$1
build=${2:-build}

skip() {
	echo "== skipped: validators ($1)"
	exit 0
}
[ -f "$folder/check.js" ] || skip "no check.js in $folder"
command -v node >/dev/null 2>&1 || skip "no node here"
command -v npm >/dev/null 2>&1 || skip "no npm here"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
	skip "node is older than 20"

work=$(mktemp -d)
sink=
# shellcheck disable=SC2329 # called by trap
clean_up() {
	[ -z "$sink" ] || kill "$sink" 2>/dev/null || :
	rm -rf "$work"
}
trap clean_up EXIT

cp -r "$folder" "$work/v"
chmod -R u+w "$work/v"
(cd "$work/v" && npm ci --ignore-scripts --silent >/dev/null 2>&1 &&
	node gen-schemas.js >/dev/null)

mkdir "$work/payloads"
PAYLOADS=$work/payloads "$build/tests/unit/service" >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
cat >"$work/v/check-all.js" <<'JS'
'use strict';
// Files are SERVICE.N; a bot's post is its webhook's with another frame.
const fs = require('fs'), path = require('path');
const { check } = require('./check.js'), mail = require('./check-mail.js');
const frames = {
	slackbot: (t) => ['slack', t],
	rocketchatuser: (t) => ['rocketchat', t],
	mattermostbot: (t) => {
		const o = JSON.parse(t);
		return ['mattermost', JSON.stringify({ text: o.message,
			channel: o.channel_id })];
	},
	zulip: (t) => ['zulip', JSON.stringify(
		Object.fromEntries(new URLSearchParams(t)))],
};
(async () => {
	let passed = 0, failed = 0;
	const dir = process.argv[2];
	for (const file of fs.readdirSync(dir).sort()) {
		const raw = fs.readFileSync(path.join(dir, file));
		const name = file.split('.')[0];
		const frame = frames[name] || ((t) => [name, t]);
		// from 10 on: words of hostile length, which cannot be wrapped
		const width = Number(file.split('.')[1]) < 10 ? 100 : 500;
		const found = name === 'mail' ? await mail.check(raw, { width })
			: await check(...frame(raw.toString()));
		if (found.length) {
			failed++;
			console.log(`FAILED ${file}: ${found.slice(0, 3).join(' | ')}`);
		} else {
			passed++;
		}
	}
	console.log(`payloads: ${passed} passed, ${failed} failed`);
	process.exit(failed || !passed ? 1 : 0);
})();
JS
node "$work/v/check-all.js" "$work/payloads"

mkfifo "$work/ready"
node "$work/v/http-sink.js" --port 0 >"$work/ready" &
sink=$!
# The stand-in goes on writing: the pipe stays open, and is emptied.
exec 3<"$work/ready"
read -r _ port <&3
cat <&3 >"$work/sink.log" &
VENDOR_SINK=$port "$build/tests/flow/vendors" >"$work/log" 2>&1 || {
	cat "$work/log"
	exit 1
}
grep -c '^\[       OK \]' "$work/log" | sed 's/^/services: /; s/$/ passed/'
