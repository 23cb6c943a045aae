/*
 * function_more.c - the second half of the table of functions
 *
 * Why:    see function_table.c, whose table goes on here.
 */
#include "expr/function_types.h"
#include "expr/kernel_digest.h"
#include "expr/kernel_number.h"
#include "expr/kernel_regex.h"
#include "expr/kernel_text.h"
#include "expr/kernel_text_more.h"
#include "expr/kernel_time_text.h"
#include "expr/kernel_try.h"
#include "expr/kernel_zone.h"
#include "expr/time_format.h"

#define SAFE FUNCTION_SAFE
#define LAX FUNCTION_LAX
#define TRY FUNCTION_TRY
#define CONTEXT FUNCTION_CONTEXT
#define RELEASE FUNCTION_RELEASE
#define ZONE (FUNCTION_CONTEXT | FUNCTION_READS_ZONE | FUNCTION_RELEASE)
#define TOLD (FUNCTION_ZONED | FUNCTION_RELEASE)

/* name, signature, min, max, flags, variant, resolve, kernel, choose,
 * prepare */
const struct function more_functions[] = {
	/* any type */
	{ "try", NULL, 1, 1, SAFE | LAX | TRY, 0, resolve_try, try_kernel,
	  NULL, NULL },
	{ "typeof", NULL, 1, 1, SAFE | LAX, 0, resolve_typeof, type_name_of,
	  NULL, NULL },

	/* text */
	{ "btrim", "VVV", 1, 2, SAFE, TRIM_BOTH, resolve_fixed, string_trim,
	  NULL, NULL },
	{ "repeat", "VVB", 2, 2, 0, 0, resolve_fixed, string_repeat, NULL, NULL
	  },
	{ "translate", "VVVV", 3, 3, 0, 0, resolve_fixed, string_translate,
	  NULL, NULL },
	{ "levenshtein_distance", "BVV", 2, 2, 0, 0, resolve_fixed,
	  string_levenshtein, NULL, NULL },
	{ "hamming_distance", "BVV", 2, 2, 0, 0, resolve_fixed, string_hamming,
	  NULL, NULL },
	{ "initcap", "VV", 1, 1, SAFE, 0, resolve_fixed, string_initcap, NULL,
	  NULL },
	{ "left", "VVB", 2, 2, SAFE, END_LEFT, resolve_fixed, string_end, NULL,
	  NULL },
	{ "right", "VVB", 2, 2, SAFE, END_RIGHT, resolve_fixed, string_end,
	  NULL, NULL },
	{ "ends_with", "LVV", 2, 2, SAFE, 0, resolve_fixed, string_ends_with,
	  NULL, NULL },
	{ "split", "AVVB", 2, 3, 0, 0, resolve_fixed, string_split, NULL, NULL
	  },

	/* regular expressions */
	{ "regexp_like", "LVV", 2, 2, RELEASE, 0, resolve_fixed, regex_like,
	  NULL, regex_prepare },
	{ "regexp_extract", "VVVB", 2, 3, RELEASE, 0, resolve_fixed,
	  regex_extract, NULL, regex_prepare },
	{ "regexp_extract_all", "AVVB", 2, 3, RELEASE, REGEX_EXTRACT_ALL,
	  resolve_fixed, regex_list, NULL, regex_prepare },
	{ "regexp_replace", "VVVV", 2, 3, RELEASE, 0, resolve_fixed,
	  regex_replace, NULL, regex_prepare },
	{ "regexp_count", "BVV", 2, 2, RELEASE, 0, resolve_fixed, regex_count,
	  NULL, regex_prepare },
	{ "regexp_position", "BVVBB", 2, 4, RELEASE, 0, resolve_fixed,
	  regex_position, NULL, regex_prepare },
	{ "regexp_split", "AVV", 2, 2, RELEASE, REGEX_SPLIT, resolve_fixed,
	  regex_list, NULL, regex_prepare },

	/* numbers */
	{ "sin", "FF", 1, 1, SAFE, ANGLE_SIN, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "cos", "FF", 1, 1, SAFE, ANGLE_COS, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "tan", "FF", 1, 1, SAFE, ANGLE_TAN, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "asin", "FF", 1, 1, SAFE, ANGLE_ASIN, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "acos", "FF", 1, 1, SAFE, ANGLE_ACOS, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "atan", "FF", 1, 1, SAFE, ANGLE_ATAN, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "sinh", "FF", 1, 1, SAFE, ANGLE_SINH, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "cosh", "FF", 1, 1, SAFE, ANGLE_COSH, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "tanh", "FF", 1, 1, SAFE, ANGLE_TANH, resolve_fixed, number_angle,
	  NULL, NULL },
	{ "degrees", "FF", 1, 1, SAFE, ANGLE_DEGREES, resolve_fixed,
	  number_angle, NULL, NULL },
	{ "radians", "FF", 1, 1, SAFE, ANGLE_RADIANS, resolve_fixed,
	  number_angle, NULL, NULL },
	{ "atan2", "FFF", 2, 2, SAFE, 0, resolve_fixed, number_atan2, NULL,
	  NULL },
	{ "bitwise_and", "BBB", 2, 2, SAFE, BITS_AND, resolve_fixed,
	  number_bits, NULL, NULL },
	{ "bitwise_or", "BBB", 2, 2, SAFE, BITS_OR, resolve_fixed, number_bits,
	  NULL, NULL },
	{ "bitwise_xor", "BBB", 2, 2, SAFE, BITS_XOR, resolve_fixed,
	  number_bits, NULL, NULL },
	{ "bitwise_left_shift", "BBB", 2, 2, SAFE, BITS_LEFT, resolve_fixed,
	  number_bits, NULL, NULL },
	{ "bitwise_right_shift", "BBB", 2, 2, SAFE, BITS_RIGHT, resolve_fixed,
	  number_bits, NULL, NULL },
	{ "bitwise_right_shift_arithmetic", "BBB", 2, 2, SAFE,
	  BITS_RIGHT_ARITHMETIC, resolve_fixed, number_bits, NULL, NULL },
	{ "bitwise_not", "BB", 1, 1, SAFE, 0, resolve_fixed, number_bits_not,
	  NULL, NULL },
	{ "to_base", "VBB", 2, 2, 0, 0, resolve_fixed, number_to_base, NULL,
	  NULL },
	{ "from_base", "BVB", 2, 2, 0, 0, resolve_fixed, number_from_base,
	  NULL, NULL },
	{ "width_bucket", "BFFFB", 4, 4, 0, 0, resolve_fixed,
	  number_width_bucket, NULL, NULL },

	/* time */
	{ "at_timezone", "WWV", 2, 2, TOLD, 0, resolve_fixed, zone_at, NULL,
	  zone_prepare },
	{ "with_timezone", "WTV", 2, 2, TOLD, 0, resolve_fixed, zone_with,
	  NULL, zone_prepare },
	{ "from_unixtime", "WFV", 2, 2, TOLD, 0, resolve_fixed,
	  zone_from_unixtime, NULL, zone_prepare },
	{ "date_format", "VTV", 2, 2, 0, TIME_STYLE_MYSQL, resolve_fixed,
	  time_text_write, NULL, NULL },
	{ "date_format", "VWV", 2, 2, ZONE, TIME_STYLE_MYSQL, resolve_fixed,
	  time_text_write, NULL, zone_prepare },
	{ "format_datetime", "VTV", 2, 2, 0, TIME_STYLE_JODA, resolve_fixed,
	  time_text_write, NULL, NULL },
	{ "format_datetime", "VWV", 2, 2, ZONE, TIME_STYLE_JODA, resolve_fixed,
	  time_text_write, NULL, zone_prepare },
	{ "date_parse", "TVV", 2, 2, 0, TIME_STYLE_MYSQL, resolve_fixed,
	  time_text_read, NULL, NULL },
	{ "parse_datetime", "WVV", 2, 2, CONTEXT, TIME_STYLE_JODA,
	  resolve_fixed, time_text_read, NULL, NULL },
	{ "from_iso8601_timestamp", "WV", 1, 1, CONTEXT, 0, resolve_fixed,
	  time_from_iso, NULL, NULL },
	{ "from_iso8601_date", "DV", 1, 1, 0, 0, resolve_fixed, time_from_iso,
	  NULL, NULL },
	{ "to_iso8601", "VD", 1, 1, SAFE, 0, resolve_fixed, time_to_iso, NULL,
	  NULL },
	{ "to_iso8601", "VT", 1, 1, SAFE, 0, resolve_fixed, time_to_iso, NULL,
	  NULL },
	{ "to_iso8601", "VW", 1, 1, ZONE | SAFE, 0, resolve_fixed, time_to_iso,
	  NULL, zone_prepare },

	/* binary */
	{ "md5", "ZZ", 1, 1, SAFE, DIGEST_MD5, resolve_fixed, binary_digest,
	  NULL, NULL },
	{ "sha1", "ZZ", 1, 1, SAFE, DIGEST_SHA1, resolve_fixed, binary_digest,
	  NULL, NULL },
	{ "sha256", "ZZ", 1, 1, SAFE, DIGEST_SHA256, resolve_fixed,
	  binary_digest, NULL, NULL },
	{ NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};
