# perfherald. Start with `make demo` and `make check`; each sets up what it
# needs. README.md lists the other targets.

PREFIX     = /usr/local
SYSCONFDIR = /etc
BINDIR     = $(PREFIX)/bin
MANDIR     = $(PREFIX)/share/man
UNITDIR    = /lib/systemd/system

CC     = gcc
CFLAGS = -O2 -g
B      = build
VERSION = 0.1

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
ifdef DEV
WARN += -Werror
endif

# libetpan's own flags carry a spec that undoes PIE, so it is named by hand.
PKGS = gmime-3.0 openssl sqlite3 yaml-0.1 jansson libgit2 opendkim libzstd \
       libseccomp
PC_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PC_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

ALL_CPPFLAGS = -Iinclude -I. -I$(B) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' \
	-DSYSCONFDIR='"$(SYSCONFDIR)"' $(PC_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = -std=c17 -fPIE -fvisibility=hidden -fstack-protector-strong \
	$(WARN) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
LDLIBS = -letpan -lcurl $(PC_LIBS) -lm

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

setup-check:
	@config/dev/setup.sh build test

# RUN wraps every test program (valgrind); PERFHERALD names the program that
# flow tests start.
RUN =
unit: $(UNIT)
	@tests/run.sh "$(RUN)" $(sort $(UNIT))
flow: $(FLOW) $(B)/perfherald
	@PERFHERALD=$(abspath $(B)/perfherald) tests/run.sh "$(RUN)" $(sort $(FLOW))

clean:
	rm -rf $(B) perfherald
