/*
 * csv_dialect.c - values as the fields of a CSV file that is there already
 *
 * Why:    the rows that a merge adds or changes should look as the others do,
 *         and must read back as what they are.
 * How:    a value is formatted in place and put into quotes only if it must
 *         be, or if its neighbours are.
 */
#include "filetarget/csv_dialect.h"

static bool needs_quotes(const struct csv_dialect *dialect, const char *text,
			 size_t length)
{
	if (length == 0)
		return true;	/* else it were NULL */
	for (size_t i = 0; i < dialect->null_text_count; i++)
		if (strlen(dialect->null_texts[i]) == length &&
		    memcmp(dialect->null_texts[i], text, length) == 0)
			return true;
	for (size_t i = 0; i < length; i++)
		if (text[i] == dialect->delimiter || text[i] == '\n' ||
		    text[i] == '\r' ||
		    (dialect->quote && text[i] == dialect->quote))
			return true;
	return false;
}

/* Put what stands in out from `from` on into quotes. */
static bool add_quotes(const struct csv_dialect *dialect, size_t from,
		       struct text *out)
{
	size_t length = out->length - from, quotes = 2, to;

	for (size_t i = from; i < out->length; i++)
		quotes += out->data[i] == dialect->quote;
	if (!text_reserve(out, quotes))
		return false;
	to = out->length + quotes;
	out->data[to] = '\0';
	out->data[--to] = dialect->quote;
	for (size_t i = from + length; i-- > from;) {
		char c = out->data[i];

		out->data[--to] = c;
		if (c == dialect->quote)
			out->data[--to] = c;
	}
	out->data[--to] = dialect->quote;
	out->length += quotes;
	return true;
}

int csv_dialect_add(const struct csv_dialect *dialect,
		    const struct vector *vector, size_t row, bool quoted,
		    struct text *out, struct error *err)
{
	size_t from = out->length;
	bool must;

	if (!vector->data || vector_is_null(vector, row)) {
		if (dialect->null_text_count)
			text_add_str(out, dialect->null_texts[0]);
		return out->failed ? error_set(err, ERROR_NO_MEMORY, "CSV")
				   : 0;
	}
	if (!text_reserve(out, 1) || !format_value(vector, row, out))
		return error_set(err, ERROR_NO_MEMORY, "CSV");
	must = needs_quotes(dialect, out->data + from, out->length - from);
	if (must && !dialect->quote) {
		error_set(err, ERROR_BAD_CSV, "a value that is empty or holds "
			  "a delimiter, a line end or the text of NULL cannot "
			  "be written without quotes");
		return error_hint(err, "say what quotes the file has with "
				  "--quote");
	}
	if ((must || (quoted && dialect->quote)) &&
	    !add_quotes(dialect, from, out))
		return error_set(err, ERROR_NO_MEMORY, "CSV");
	return 0;
}

void csv_dialect_end(const struct csv_dialect *dialect, struct text *out)
{
	if (dialect->trailing_delimiter)
		text_add_char(out, dialect->delimiter);
	text_add_str(out, dialect->has_crlf ? "\r\n" : "\n");
}
