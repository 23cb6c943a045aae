# Targets that test, measure and install; read by the top Makefile.

SHELL_TESTS := $(sort $(wildcard tests/t[0-9][0-9][0-9][0-9]-*.sh))
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS = 30

# What the build and the tests need from Debian; says nothing where all is
# there.
setup:
	tests/install-packages build
setup-tests:
	tests/install-packages build test

# Builds in parallel where make was not told how
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# Unit and shell tests, on what is built here.
test: all unit
	ROWMERGE=$(BUILD)/rowmerge $(PROVE) $(PROVE_FLAGS) $(SHELL_TESTS)

# Set up, build, run the example.
quickstart: setup
	$(MAKE) $(PARALLEL) all
	ROWMERGE=$(BUILD)/rowmerge tests/data/quickstart/run

# Set up, then every test.
check: setup-tests
	$(MAKE) $(PARALLEL) test

# The long forms; results go into tests/SOAK.md by hand.
soak: setup-tests
	$(MAKE) $(PARALLEL) all $(BUILD)/tests/unit/check_csv_dialects
	ROWMERGE=$(BUILD)/rowmerge UNIT=$(BUILD)/tests/unit tests/soak

# Other engines read our tables; they are brought into tests/.engines.
interop: setup
	$(MAKE) $(PARALLEL) all
	ROWMERGE=$(BUILD)/rowmerge tests/interop/run

# Against the best peer for each job; JOBS="B D" for some only.
bench:
	tests/install-packages build bench
	$(MAKE) $(PARALLEL) all
	bench/run --rowmerge $(BUILD)/rowmerge --output bench/RESULTS.md $(JOBS)

# Fuzz targets: clang, libFuzzer, both sanitizers, FUZZ_SECONDS each.
fuzz:
	tests/install-packages build fuzz
	CC=clang tests/fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Unit tests under valgrind: all, which takes hours, or a short list.
VALGRIND_SHORT = check_arena check_text check_bitmap check_lexer \
	check_sql_text check_bind_alter check_bind_change check_bind_evolve \
	check_bind_group check_bind_join check_bind_merge check_bind_query \
	check_bind_subquery check_bind_table check_bind_window \
	check_expr_compile check_thrift_compact check_avro_schema check_fragment
valgrind: setup-tests
	$(MAKE) $(PARALLEL) unit-programs
	tests/valgrind $(UNIT_PROGRAMS)
valgrind-short: setup-tests
	$(MAKE) $(PARALLEL) unit-programs
	tests/valgrind $(addprefix $(BUILD)/tests/unit/,$(VALGRIND_SHORT))

install: all
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 \
		$(DESTDIR)$(mandir)/man5
	$(INSTALL) -m 755 $(BUILD)/rowmerge $(DESTDIR)$(bindir)/rowmerge
	$(INSTALL) -m 644 man/*.1 $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 man/*.5 $(DESTDIR)$(mandir)/man5

.PHONY: setup setup-tests test quickstart check soak interop bench fuzz \
	valgrind valgrind-short install
