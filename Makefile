# perfherald. Start with `make demo` and `make check`; each sets up what it
# needs. README.md lists the other targets.

PREFIX     = /usr/local
SYSCONFDIR = /etc
BINDIR     = $(PREFIX)/bin
MANDIR     = $(PREFIX)/share/man
UNITDIR    = /lib/systemd/system
SYSUSERSDIR = /usr/lib/sysusers.d

CC     = gcc
CFLAGS = -O2 -g
B      = build
VERSION = 0.1

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
ifdef DEV
WARN += -Werror
endif

# libetpan's own flags carry a spec that undoes PIE, so it is named by hand.
PKGS = gmime-3.0 openssl sqlite3 yaml-0.1 jansson libgit2 opendkim libzstd
PC_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PC_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

ALL_CPPFLAGS = -Iinclude -I. -I$(B) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' \
	-DSYSCONFDIR='"$(SYSCONFDIR)"' $(PC_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = -std=c17 -fPIE -fvisibility=hidden -fstack-protector-strong \
	$(WARN) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
LDLIBS = -letpan -lcurl $(PC_LIBS) -lresolv -lm

# A library a layer; each may call only those to its right:
#	bot -> mail, notify -> config -> base
LAYERS = bot mail notify config base
bot_DIRS    = bot bot/store
mail_DIRS   = mail mail/report
notify_DIRS = notify notify/site
config_DIRS = config
base_DIRS   = bot/base

layer_src = $(foreach d,$($(1)_DIRS),$(filter-out bot/main.c,$(wildcard $(d)/*.c)))
layer_obj = $(patsubst %.c,$(B)/%.o,$(call layer_src,$(1)))
LIBS = $(foreach l,$(LAYERS),$(B)/lib$(l).a)
SRC  = $(foreach l,$(LAYERS),$(call layer_src,$(l))) bot/main.c

# V=1 shows the commands.
ifndef V
Q = @
SAY = @echo "  $(1)	$(2)";
endif

.PHONY: all check demo setup-check unit flow clean
all: perfherald

perfherald: $(B)/perfherald
	cp $< $@

$(B)/perfherald: $(B)/bot/main.o $(LIBS)
	$(call SAY,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

define layer_rule
$(B)/lib$(1).a: $(call layer_obj,$(1))
	$(Q)rm -f $$@
	$$(call SAY,AR,$$@)ar rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rule,$(l))))

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call SAY,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What metrics and host names mean, as C.
TABLES = config/metrics.tsv config/families.tsv config/hosts.tsv
$(B)/metric_tables.h: config/dev/tables.awk $(TABLES)
	@mkdir -p $(@D)
	$(call SAY,AWK,$@)awk -f $^ >$@.new && mv $@.new $@
$(B)/mail/report/metric.o: $(B)/metric_tables.h

-include $(wildcard $(SRC:%.c=$(B)/%.d))

# Tests: every .c in tests/unit and tests/flow is a program of its own;
# tests/*.c is what they share.
TEST_LIB  = $(patsubst %.c,$(B)/%.o,$(wildcard tests/*.c))
UNIT      = $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*.c))
FLOW      = $(patsubst %.c,$(B)/%,$(wildcard tests/flow/*.c))

.SECONDARY: $(UNIT:=.o) $(FLOW:=.o)
$(UNIT) $(FLOW): $(B)/%: $(B)/%.o $(TEST_LIB) $(LIBS)
	$(call SAY,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
-include $(wildcard $(B)/tests/*.d $(B)/tests/*/*.d)

check: setup-check
	@$(MAKE) --no-print-directory perfherald unit flow

demo: setup-check
	@$(MAKE) --no-print-directory perfherald
	@tests/demo/demo.py ./perfherald

setup-check:
	@config/dev/setup.sh build test

# RUN wraps every test program; PERFHERALD names the program that flow tests
# start, MISCHIEF what some of them preload into it.
RUN =
PROGRAM = $(B)/perfherald
unit: $(UNIT)
	@tests/run.sh "$(RUN)" $(sort $(UNIT))
flow: $(FLOW) $(PROGRAM) $(B)/tests/faults/mischief.so
	@PERFHERALD=$(abspath $(PROGRAM)) \
		MISCHIEF=$(abspath $(B)/tests/faults/mischief.so) tests/run.sh "$(RUN)" $(sort $(FLOW))

# The IMAP connection against every kind of server that Debian has; they are
# unpacked below build, not installed.
MATRIX = $(patsubst %.c,$(B)/%,$(wildcard tests/matrix/*.c))
.SECONDARY: $(MATRIX:=.o)
$(MATRIX): $(B)/%: $(B)/%.o $(TEST_LIB) $(LIBS)
	$(call SAY,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)
.PHONY: matrix
matrix: setup-check
	@$(MAKE) --no-print-directory run-matrix
run-matrix: $(MATRIX)
	@tests/run.sh "$(RUN)" $(sort $(MATRIX))

# Rewrites expected files; the diff is the review.
.PHONY: golden
golden: $(UNIT)
	@GOLDEN=write tests/run.sh "$(RUN)" $(sort $(UNIT))
	@git status --short tests/golden

# Rows of DESIGN's speed table: every program in tests/bench prints lines of
# "work <tab> against <tab> measured <tab> aim"; scripts beside it help it.
# BENCH_SCALE=10 takes a tenth of the mails and patches.
BENCH = $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))
.SECONDARY: $(BENCH:=.o)
$(BENCH): $(B)/%: $(B)/%.o $(TEST_LIB) $(LIBS)
	$(call SAY,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

.PHONY: bench
bench: setup-check
	@$(MAKE) --no-print-directory run-bench
run-bench: $(BENCH) $(B)/perfherald
	@PERFHERALD=$(abspath $(B)/perfherald) tests/bench.sh $(sort $(BENCH))

# Faults: memory that ends, power that fails, system calls that fail, peers
# that break off or hang, disks that fill, clocks that jump, mailboxes that
# change under the reader. `make faults` takes samples; with FULL=1 it takes
# its time. Each part can be run alone, and MOST, CUTS, CALLS, OFFSETS and
# ROOMS say how thoroughly.
ifdef FULL
MOST = 400
CUTS = 3000
CALLS = 12
OFFSETS = 12
ROOMS = 60
else
MOST = 20
CUTS = 300
CALLS = 1
OFFSETS = 2
ROOMS = 6
endif
SAMPLE = tests/demo/1-regression.eml
FAULTS = oom powercut inject peers diskfull clock mailbox
.PHONY: faults $(FAULTS) haste
faults: $(FAULTS)
$(FAULTS): | setup-dev
$(B)/tests/faults/%.so: tests/faults/%.c tests/faults/place.h
	@mkdir -p $(@D)
	$(call SAY,CC,$<)$(CC) -std=c17 -D_GNU_SOURCE -I. $(WARN) -O2 -shared \
		-fPIC -o $@ $<
oom: $(B)/perfherald $(B)/tests/faults/failmalloc.so
	@tests/faults/oom.py --most $(MOST) $^ $(SAMPLE)
powercut: $(B)/perfherald
	@tests/faults/powercut.py --cuts $(CUTS) $^ tests/demo/*.eml
inject: $(B)/perfherald $(B)/tests/faults/forktrace.so $(B)/tests/faults/clockshift.so
	@tests/faults/inject.py --most $(CALLS) $^
diskfull: $(B)/perfherald $(B)/tests/faults/clockshift.so
	@tests/faults/diskfull.py --most $(ROOMS) $^
clock: $(B)/perfherald $(B)/tests/faults/clockshift.so
	@tests/faults/clock.py $^
# A program that waits a twentieth of the usual time for its peers.
haste: setup-dev
	@$(MAKE) --no-print-directory B=$(B)/haste CPPFLAGS=-DPH_HASTE=20 \
		$(B)/haste/perfherald
peers: haste $(B)/tests/faults/clockshift.so
	@tests/faults/peers.py --most $(OFFSETS) $(B)/haste/perfherald \
		$(B)/tests/faults/clockshift.so
mailbox: haste $(B)/tests/faults/clockshift.so
	@tests/faults/mailbox.py $(B)/haste/perfherald \
		$(B)/tests/faults/clockshift.so

# Processes that die: at every EVERY-th step, and at so many random times; and
# whether that would find bugs that were planted.
EVERY = 1
KILLS = 200
.PHONY: kill plants
kill: setup-check
	@$(MAKE) --no-print-directory CPPFLAGS=-DPH_STEPS B=$(B)/steps \
		$(B)/steps/perfherald
	tests/faults/kill.py --every $(EVERY) --random $(KILLS) \
		$(B)/steps/perfherald
plants: setup-check
	tests/faults/plants.py

# Once more with other compilers and under other eyes, each in a build folder
# of its own.
SAN = -fsanitize=address,undefined -fno-sanitize-recover=undefined
.PHONY: asan valgrind clang headers layers format format-check lint coverage
asan: setup-dev
	@ASAN_OPTIONS=detect_leaks=1 \
		LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
		$(MAKE) --no-print-directory DEV=1 \
		CC=clang B=$(B)/asan LDFLAGS='$(SAN)' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -DPH_ASAN $(SAN)' unit flow

# libFuzzer over tests/fuzz/T.c, for SECS seconds, from the seeds in the folder
# tests/fuzz/T and what earlier runs found. The input of a crash is kept in
# build/fuzz; it becomes a test.
SECS = 60
FUZZ = $(B)/tests/fuzz/$(T)
.PHONY: fuzz run-fuzz
fuzz: setup-dev
	@$(MAKE) --no-print-directory CC=clang B=$(B)/fuzz \
		LDFLAGS='$(SAN)' CFLAGS='-O1 -g -fno-omit-frame-pointer \
			-DPH_ASAN -fsanitize=fuzzer-no-link $(SAN)' run-fuzz
run-fuzz: $(FUZZ)
	@mkdir -p $(FUZZ).found
	@$(FUZZ) -max_total_time=$(SECS) -timeout=2 -rss_limit_mb=1024 \
		-max_len=65536 -print_final_stats=0 -verbosity=0 \
		-artifact_prefix=$(B)/ \
		$(addprefix -dict=,$(wildcard tests/fuzz/$(T).dict)) \
		$(FUZZ).found $(wildcard tests/fuzz/$(T))
	@echo "fuzz: $(T): $(SECS) s without a finding"
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIBS)
	$(call SAY,LD,$@)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(ALL_LDFLAGS) \
		-o $@ $^ $(LDLIBS)

# Every test program, and the program wherever a flow test starts it. What
# valgrind finds goes into a file a process: nobody asks a forked worker how it
# ended. All takes half an hour; UNIT= FLOW=build/tests/flow/git is one of them.
GRIND = $(abspath $(B)/valgrind)
VALGRIND = valgrind -q --error-exitcode=99 --leak-check=full \
	--show-leak-kinds=definite --errors-for-leak-kinds=definite \
	--suppressions=$(CURDIR)/tests/valgrind.supp --log-file=$(GRIND)/%p
valgrind: setup-dev
	@rm -rf $(GRIND)
	@mkdir -p $(GRIND)
	@ulimit -c 0; $(MAKE) --no-print-directory RUN='$(VALGRIND)' \
		PROGRAM=$(GRIND)/perfherald unit flow; \
		code=$$?; tests/findings.sh $(GRIND) && exit $$code
$(GRIND)/perfherald: $(B)/perfherald
	@printf '#!/bin/sh\nexec %s %s "$$@"\n' '$(VALGRIND)' $(abspath $<) >$@
	@chmod +x $@

clang: setup-dev
	@$(MAKE) --no-print-directory DEV=1 CC=clang B=$(B)/clang \
		$(B)/clang/perfherald

headers: setup-check
	@for h in include/ph/*.h bot/*.h bot/*/*.h mail/*.h mail/*/*.h \
		notify/*.h notify/*/*.h config/*.h; do \
		[ -f "$$h" ] || continue; \
		printf '#include "%s"\nextern int alone;\n' $$h | $(CC) $(ALL_CPPFLAGS) -std=c17 $(WARN) \
			-Werror -Wno-unused-function -fsyntax-only -x c - || \
			{ echo "headers: $$h does not stand alone" >&2; exit 1; }; \
	done; echo "headers: each stands alone"

layers: $(LIBS)
	@tests/layers.sh $(B)

C_FILES = $(wildcard $(foreach d,include/ph bot bot/base bot/store mail \
	mail/report notify notify/site config tests tests/unit tests/flow \
	tests/fuzz tests/bench tests/faults,$(d)/*.c $(d)/*.h))
format: setup-dev
	clang-format -i $(C_FILES)
format-check: setup-dev
	clang-format --dry-run $(C_FILES)

# clang-tidy runs once a file: several in one run gave it false findings.
lint: setup-dev
	@status=0; for f in $(SRC); do \
		clang-tidy --quiet --warnings-as-errors='*' \
			--checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-implicit-widening-of-multiplication-result' \
			$$f -- $(ALL_CPPFLAGS) -std=c17 2>/dev/null || status=1; \
	done; exit $$status
	cppcheck -q --std=c11 --enable=warning,portability --inline-suppr \
		--error-exitcode=1 --suppress=missingIncludeSystem \
		-Iinclude -I. bot mail notify config
	shellcheck config/dev/*.sh tests/*.sh .ci/run

coverage:
	@$(MAKE) --no-print-directory B=$(B)/coverage CFLAGS='-O0 -g --coverage' \
		LDFLAGS=--coverage unit flow
	@for f in $(SRC); do \
		gcov -n -o $(B)/coverage/$$(dirname $$f) $$f 2>/dev/null | \
			sed -n "2s|^|$$f: |p"; \
	done

setup-dev:
	@config/dev/setup.sh build test dev

.PHONY: install man setup-dev
man: setup-dev
	mandoc -T lint -W warning config/man/*.[0-9]

install: perfherald
	install -D -m 755 perfherald $(DESTDIR)$(BINDIR)/perfherald
	install -D -m 644 config/man/perfherald.1 \
		$(DESTDIR)$(MANDIR)/man1/perfherald.1
	install -D -m 644 config/man/perfherald.yaml.5 \
		$(DESTDIR)$(MANDIR)/man5/perfherald.yaml.5
	install -D -m 644 config/perfherald.yaml \
		$(DESTDIR)$(SYSCONFDIR)/perfherald/perfherald.yaml.example
	install -d $(DESTDIR)$(UNITDIR)
	sed 's|/usr/local/bin/|$(BINDIR)/|' config/perfherald.service \
		>$(DESTDIR)$(UNITDIR)/perfherald.service
	install -D -m 644 config/perfherald.sysusers \
		$(DESTDIR)$(SYSUSERSDIR)/perfherald.conf

clean:
	rm -rf $(B) perfherald
