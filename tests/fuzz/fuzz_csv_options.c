/*
 * fuzz_csv_options.c - any bytes, any spelling: read, set aside, inferred
 *
 * Build:  as fuzz_csv.c.
 * Input:  four bytes that pick the options, the file. Rows, rejects and their
 *         reasons must be the same by libcsv in one piece and by the scanner
 *         in chunks; inference must take the file or refuse it.
 */
#include "unit/csv_rejects.h"
#include "fuzz/fuzz_check.h"

static void pick_options(struct csv_options *options, const uint8_t *pick)
{
	static const char *const encodings[] = {
		NULL, NULL, NULL, "latin1", "windows-1252", "utf-16",
		"utf-16le", "utf-16be",
	};
	static const char *const thousands[] = { NULL, ".", " ", "\xc2\xa0" };
	static const char *const dates[] = { NULL, "%d.%m.%Y", "%m/%d/%y",
					     "%e %B %Y" };
	static const char *const times[] = { NULL, "%Y%m%dT%H%M%S%z",
					     "%d-%b-%Y %I:%M:%S.%f %p",
					     "%F %T" };

	csv_options_init(options);
	options->delimiter = ",;\t|"[pick[0] & 3];
	options->quote = "\"'\"\0"[pick[0] >> 2 & 3];
	options->has_header = !(pick[0] & 0x10);
	options->null_texts[0] = "NULL";
	options->null_text_count = pick[0] >> 5 & 1;
	options->skip_lines = pick[0] >> 6;
	options->encoding = encodings[pick[1] & 7];
	options->thousands_mark = thousands[pick[1] >> 3 & 3];
	options->decimal_mark = options->thousands_mark ? ',' : '.';
	options->date_format = dates[pick[2] & 3];
	options->timestamp_format = times[pick[2] >> 2 & 3];
}

static void infer(const struct csv_options *options, const void *data,
		  size_t length)
{
	struct memory_file file = memory_file_new(data, length);
	const char *path = file.path;
	struct csv_input *input;
	struct schema schema;
	struct error err;

	schema_init(&schema);
	if (!csv_input_open(&input, &path, 1, options, &err))
		csv_input_infer(input, 2, &schema, &err);
	schema_release(&schema);
	memory_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static char home[4096];
	struct type types[SAMPLE_TYPES];
	struct csv_options options;

	if (length < 4 || length > 2048)
		return 0;
	if (length >= 7 && (memcmp(data + 4, "\x1f\x8b\x08", 3) == 0 ||
			    memcmp(data + 4, "\x28\xb5\x2f", 3) == 0))
		return 0;
	/* what crashes is written where the fuzzer was started */
	if (!*home) {
		ck_assert_ptr_nonnull(getcwd(home, sizeof(home)));
		setenv("TMPDIR", "/dev/shm", 0);
		scratch_make();
	}
	ck_assert_int_eq(chdir(scratch_path), 0);
	pick_options(&options, data);
	sample_types(types);
	types[7] = type_of(TYPE_DATE);
	infer(&options, data + 4, length - 4);
	options.is_jsonl = (data[3] & 0xf) == 0;
	if (options.is_jsonl)
		infer(&options, data + 4, length - 4);
	options.is_jsonl = false;
	compare_set_aside(&options, data + 4, length - 4, types, SAMPLE_TYPES,
			  data[3]);
	ck_assert_int_eq(chdir(home), 0);
	return 0;
}
