/*
 * page_header.c - the struct before every page
 *
 * Why:    a page is its header and compressed_page_size bytes; nothing else
 *         tells where the next one begins.
 * Limits: sizes over PAGE_BYTES_LIMIT and negative numbers are refused here,
 *         so that no caller meets them.
 */
#include "parquet/footer.h"

#define PAGE_BYTES_LIMIT (1 << 30)

static void parse_data_header(struct thrift_reader *in,
			      struct page_header *out)
{
	struct thrift_field field = { 0, 0 };

	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->value_count = thrift_i32(in, &field); break;
		case 2: out->encoding = thrift_i32(in, &field); break;
		case 3: out->def_encoding = thrift_i32(in, &field); break;
		case 4: out->rep_encoding = thrift_i32(in, &field); break;
		default: thrift_skip(in, &field);
		}
	}
}

static void parse_dictionary_header(struct thrift_reader *in,
				    struct page_header *out)
{
	struct thrift_field field = { 0, 0 };

	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->value_count = thrift_i32(in, &field); break;
		case 2: out->encoding = thrift_i32(in, &field); break;
		default: thrift_skip(in, &field);
		}
	}
}

static void parse_data_header_v2(struct thrift_reader *in,
				 struct page_header *out)
{
	struct thrift_field field = { 0, 0 };

	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->value_count = thrift_i32(in, &field); break;
		case 2: out->null_count = thrift_i32(in, &field); break;
		case 3: out->row_count = thrift_i32(in, &field); break;
		case 4: out->encoding = thrift_i32(in, &field); break;
		case 5: out->def_bytes = thrift_i32(in, &field); break;
		case 6: out->rep_bytes = thrift_i32(in, &field); break;
		case 7:
			out->is_uncompressed = !thrift_bool(in, &field);
			break;
		default: thrift_skip(in, &field);
		}
	}
}

static bool header_is_sane(const struct page_header *header, int16_t detail)
{
	static const int16_t details[] = {
		[PAGE_DATA] = 5,
		[PAGE_INDEX] = 0,
		[PAGE_DICTIONARY] = 7,
		[PAGE_DATA_V2] = 8,
	};

	if (header->uncompressed_bytes < 0 || header->compressed_bytes < 0 ||
	    header->uncompressed_bytes > PAGE_BYTES_LIMIT ||
	    header->compressed_bytes > PAGE_BYTES_LIMIT)
		return false;
	if (header->type < PAGE_DATA || header->type > PAGE_DATA_V2)
		return header->type >= 0;	/* a kind to be skipped */
	if (header->type != PAGE_INDEX && detail != details[header->type])
		return false;
	/* all that the format requires was there */
	if (header->type != PAGE_INDEX &&
	    (header->value_count < 0 || header->encoding < 0))
		return false;
	if (header->type != PAGE_DATA_V2)
		return header->type != PAGE_DATA ||
		       (header->def_encoding >= 0 && header->rep_encoding >= 0);
	return header->def_bytes >= 0 && header->rep_bytes >= 0 &&
	       header->null_count >= 0 && header->row_count >= 0 &&
	       (int64_t)header->def_bytes + header->rep_bytes <=
		       header->compressed_bytes &&
	       (int64_t)header->def_bytes + header->rep_bytes <=
		       header->uncompressed_bytes;
}

enum page_header_result page_header_parse(struct page_header *out,
					  const void *data, size_t length)
{
	struct thrift_reader in;
	struct thrift_field field = { 0, 0 };
	int16_t detail = 0;

	memset(out, 0, sizeof(*out));
	out->type = out->uncompressed_bytes = out->compressed_bytes = -1;
	out->value_count = out->encoding = -1;
	out->null_count = out->row_count = -1;
	out->def_bytes = out->rep_bytes = -1;
	out->def_encoding = out->rep_encoding = -1;
	thrift_reader_init(&in, data, length);
	while (thrift_next(&in, &field)) {
		switch (field.id) {
		case 1: out->type = thrift_i32(&in, &field); break;
		case 2:
			out->uncompressed_bytes = thrift_i32(&in, &field);
			break;
		case 3: out->compressed_bytes = thrift_i32(&in, &field); break;
		case 4:
			out->crc = (uint32_t)thrift_i32(&in, &field);
			out->has_crc = true;
			break;
		case 5:
		case 7:
		case 8:
			detail = field.id;
			if (!thrift_struct(&in, &field))
				break;
			if (field.id == 5)
				parse_data_header(&in, out);
			else if (field.id == 7)
				parse_dictionary_header(&in, out);
			else
				parse_data_header_v2(&in, out);
			break;
		default: thrift_skip(&in, &field);
		}
	}
	if (in.failed)
		return PAGE_HEADER_SHORT;
	out->header_bytes = length - cursor_left(&in.in);
	return header_is_sane(out, detail) ? PAGE_HEADER_OK : PAGE_HEADER_BAD;
}

bool page_header_serialize(const struct page_header *header, struct text *out)
{
	struct thrift_writer w;
	int16_t outer;

	thrift_writer_init(&w, out);
	thrift_put_i32(&w, 1, header->type);
	thrift_put_i32(&w, 2, header->uncompressed_bytes);
	thrift_put_i32(&w, 3, header->compressed_bytes);
	if (header->has_crc)
		thrift_put_i32(&w, 4, (int32_t)header->crc);
	if (header->type == PAGE_DICTIONARY) {
		outer = thrift_begin_struct(&w, 7);
		thrift_put_i32(&w, 1, header->value_count);
		thrift_put_i32(&w, 2, header->encoding);
	} else {
		outer = thrift_begin_struct(&w, 5);
		thrift_put_i32(&w, 1, header->value_count);
		thrift_put_i32(&w, 2, header->encoding);
		thrift_put_i32(&w, 3, header->def_encoding);
		thrift_put_i32(&w, 4, header->rep_encoding);
	}
	thrift_end_struct(&w, outer);
	thrift_finish(&w);
	return !out->failed;
}
