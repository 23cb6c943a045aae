# rowmerge: merge batches of rows into Iceberg tables.
#
# `make` alone builds build/rowmerge. ./configure (made by autoconf from
# configure.ac) is not needed; it only writes config.mak.autogen, which is
# read below.
#
# Knobs, on the command line or in config.mak:
#
# CC=gcc		the compiler
# CFLAGS='-O3 -g'	optimisation and debugging
# DEVELOPER=1		warnings are errors, more of them
# SANITIZE=LIST	build with -fsanitize=LIST in a build folder of its own,
#			for example SANITIZE=address,undefined
# BUILD=DIR		where objects and programs go (default build, or
#			build-LIST with SANITIZE)
# prefix=/usr/local	where `make install` puts things; DESTDIR is honoured
# SHARED_LIBS=1		take no static library where a shared one does; else
#			the program starts a fifth sooner
# V=1			show whole commands
#
# Targets: all, unit (unit tests), test (all tests that need no setup), check
# (set up, then all tests), quickstart (set up, build, run the example),
# soak, bench, interop, fuzz, install, clean.

CC = gcc
AR = ar
CFLAGS = -O3 -g
prefix = /usr/local
bindir = $(prefix)/bin
mandir = $(prefix)/share/man
INSTALL = install
PROVE = prove
PROVE_FLAGS = -j2

# Libraries; configure refines them.
LIB_CFLAGS =
LIBS = -lpcre2-8 -lcsv -lzstd -lz -ldeflate -llz4 -lroaring -lxxhash \
	-lpthread -lm
CHECK_LIBS = -lcheck -lcjson -lsubunit -lrt -lpthread -lm

ifneq ($(shell test config.mak.autogen -ot configure.ac && echo old),)
ifneq ($(wildcard config.mak.autogen),)
$(error config.mak.autogen is older than configure.ac: autoconf && \
./configure, or remove it)
endif
endif
-include config.mak.autogen
-include config.mak

empty :=
comma := ,
space := $(empty) $(empty)

ifdef SANITIZE
BUILD ?= build-$(subst $(comma),-,$(SANITIZE))
SANITIZE_FLAGS = -fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all
else
BUILD ?= build
endif

STD_FLAGS = -std=c11 -D_GNU_SOURCE -Isrc -MMD -MP
WARN_FLAGS = -Wall -Wextra -Wno-unused-parameter -Wvla -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith
ifdef DEVELOPER
WARN_FLAGS += -Werror -Wshadow -Wwrite-strings -Wundef -Wformat=2 \
	-Wno-format-nonliteral -Wdeclaration-after-statement
endif
# declarations stay at the top of a block, as in the kernel and git
ALL_CFLAGS = $(STD_FLAGS) $(WARN_FLAGS) $(LIB_CFLAGS) $(CFLAGS) \
	$(SANITIZE_FLAGS)
ALL_LDFLAGS = $(LDFLAGS) $(SANITIZE_FLAGS)

ifndef V
QUIET_CC = @echo '  CC     ' $@;
QUIET_AR = @echo '  AR     ' $@;
QUIET_LINK = @echo '  LINK   ' $@;
endif

# The rooms, ground floor first. src/ROOM/room.mk lists a room's files:
#	ROOM_OBJS := a.o b.o		(a.c, b.c in that folder)
#	ROOM_TESTS := check_a check_b	(tests/unit/check_a.c ...)
ROOMS := $(shell sed -n 's/^\([a-z/]*\):.*/\1/p' src/ROOMS)
room_deps = $(shell sed -n 's,^$(1): *,,p' src/ROOMS)
# a room and all rooms under it
define closure_step
$(sort $(1) $(foreach room,$(1),$(DEPS_$(room))))
endef
define closure
$(call closure_step,$(call closure_step,$(call closure_step,$(call \
closure_step,$(call closure_step,$(1))))))
endef

all: $(BUILD)/rowmerge

define read_room
ROOM_OBJS :=
ROOM_TESTS :=
-include src/$(1)/room.mk
OBJS_$(1) := $$(ROOM_OBJS)
TESTS_$(1) := $$(ROOM_TESTS)
DEPS_$(1) := util $(call room_deps,$(1))
endef
$(foreach room,$(ROOMS),$(eval $(call read_room,$(room))))

room_lib = $(BUILD)/lib/$(subst /,-,$(1)).a
room_objects = $(addprefix $(BUILD)/src/$(1)/,$(OBJS_$(1)))
ROOM_LIBS := $(foreach room,$(ROOMS),$(call room_lib,$(room)))
UNIT_TESTS := $(foreach room,$(ROOMS),$(TESTS_$(room)))
UNIT_PROGRAMS := $(addprefix $(BUILD)/tests/unit/,$(UNIT_TESTS))

# A busy machine is no failed test; one that hangs is still ended.
export CK_TIMEOUT_MULTIPLIER ?= 20

define room_rules
$(call room_lib,$(1)): $(call room_objects,$(1)) src/$(1)/room.mk
	@mkdir -p $$(@D)
	$$(QUIET_AR)rm -f $$@ && $$(AR) rcs $$@ $$(filter %.o,$$^)

LIBS_$(1) := $$(foreach room,$$(call closure,$(1)),$$(call room_lib,$$(room)))
$(addprefix $(BUILD)/tests/unit/,$(TESTS_$(1))): \
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $$(LIBS_$(1))
	$$(QUIET_LINK)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$< -Wl,--start-group \
	$$(LIBS_$(1)) -Wl,--end-group $$(LIBS) $$(CHECK_LIBS)
# `make unit-ROOM`: the unit tests of one room
.PHONY: unit-$(1)
unit-$(1): $(addprefix $(BUILD)/tests/unit/,$(TESTS_$(1)))
	$$(if $$^,$$(PROVE) $$(PROVE_FLAGS) $$^,@echo "$(1) has no unit tests")
endef
$(foreach room,$(ROOMS),$(eval $(call room_rules,$(room))))

$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(ALL_CFLAGS) -Itests -c -o $@ $<

# -lNAME, or the static library where there is one; not of the C library
static_library = $(if $(wildcard $(shell $(CC) -print-file-name=lib$(1).a)),\
-l:lib$(1).a,-l$(1))
ifdef SHARED_LIBS
PROGRAM_LIBS = $(LIBS)
else
PROGRAM_LIBS = $(foreach flag,$(LIBS),$(if $(filter-out \
-lpthread -lm -lc -lrt -ldl,$(filter -l%,$(flag))),$(call \
static_library,$(patsubst -l%,%,$(flag))),$(flag)))
endif

$(BUILD)/rowmerge: $(ROOM_LIBS)
	$(QUIET_LINK)$(CC) $(ALL_LDFLAGS) -o $@ -Wl,--whole-archive \
	$(call room_lib,cli) -Wl,--no-whole-archive -Wl,--start-group \
	$(ROOM_LIBS) -Wl,--end-group $(PROGRAM_LIBS)

unit-programs: $(UNIT_PROGRAMS)
unit: $(UNIT_PROGRAMS)
	CK_FORK=$(if $(SANITIZE),no,yes) $(PROVE) $(PROVE_FLAGS) $(UNIT_PROGRAMS)

-include tests/tests.mk

clean:
	rm -rf build build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all unit unit-programs clean
.SECONDARY:
.DELETE_ON_ERROR:
