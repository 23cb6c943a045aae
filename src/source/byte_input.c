/*
 * byte_input.c - the bytes of an input, decompressed
 *
 * Why:    a batch may be a file, a pipe or standard input, bare or packed;
 *         the readers of records see only bytes.
 * How:    the first four bytes say gzip or zstd; a name is not believed.
 *         Bare bytes go straight into the caller's buffer.
 * Cost:   one read() per buffer; packed input is unpacked in the thread that
 *         asks.
 */
#include "source/byte_input.h"
#include "source/text_encoding.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#define MAGIC_BYTES 4
#define PACKED_BYTES ((size_t)256 << 10)

struct byte_input {
	char *path;
	struct input_stream *stream;
	struct stream_decoder *decoder;		/* NULL = bare */
	struct text_decoder *text;		/* NULL = UTF-8 */
	uint8_t *packed;			/* PACKED_BYTES, with decoder */
	struct byte_view pending;		/* of packed or magic */
	uint8_t magic[MAGIC_BYTES];
	uint64_t taken;
	bool at_end;				/* of the stream */
	bool finished;				/* decoder agrees */
};

static enum codec_id codec_of_magic(const uint8_t *magic, size_t length)
{
	static const uint8_t zstd[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (length >= 3 && magic[0] == 0x1f && magic[1] == 0x8b &&
	    magic[2] == 8)
		return CODEC_GZIP;
	if (length >= 4 && memcmp(magic, zstd, 4) == 0)
		return CODEC_ZSTD;
	return CODEC_NONE;
}

/* Until buffer is full or the stream ends. */
static int read_stream(struct byte_input *input, uint8_t *buffer,
		       size_t capacity, size_t *length_out, struct error *err)
{
	size_t length = 0;

	*length_out = 0;
	while (length < capacity && !input->at_end) {
		size_t got;
		int rc = input_stream_read(input->stream, buffer + length,
					   capacity - length, &got, err);

		if (rc)
			return rc;
		input->at_end = got == 0;
		input->taken += got;
		length += got;
	}
	*length_out = length;
	return 0;
}

static int start(struct byte_input *input, struct error *err)
{
	enum codec_id codec;
	size_t length;
	int rc = read_stream(input, input->magic, MAGIC_BYTES, &length, err);

	if (rc)
		return rc;
	input->pending = byte_view(input->magic, length);
	codec = codec_of_magic(input->magic, length);
	if (codec == CODEC_NONE)
		return 0;
	input->packed = mem_alloc(PACKED_BYTES);
	if (!input->packed)
		return error_set(err, ERROR_NO_MEMORY, "unpack '%s'",
				 input->path);
	return stream_decoder_new(&input->decoder, codec, err);
}

int byte_input_open(struct byte_input **out, const char *path,
		    struct error *err)
{
	struct byte_input *input = mem_zalloc(sizeof(*input));
	int rc;

	*out = NULL;
	if (input)
		input->path = mem_strdup(path);
	if (!input || !input->path) {
		mem_free(input);
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", path);
	}
	rc = input_stream_open(&input->stream, path, err);
	if (!rc)
		rc = start(input, err);
	if (rc) {
		byte_input_free(input);
		return rc;
	}
	*out = input;
	return 0;
}

void byte_input_free(struct byte_input *input)
{
	if (!input)
		return;
	stream_decoder_free(input->decoder);
	text_decoder_free(input->text);
	input_stream_close(input->stream);
	mem_free(input->packed);
	mem_free(input->path);
	mem_free(input);
}

static int read_bare(struct byte_input *input, uint8_t *buffer,
		     size_t capacity, size_t *length_out, struct error *err)
{
	size_t head = input->pending.length;
	size_t got;
	int rc;

	if (head > capacity)
		head = capacity;
	if (head) {
		memcpy(buffer, input->pending.data, head);
		input->pending.data += head;
		input->pending.length -= head;
	}
	rc = read_stream(input, buffer + head, capacity - head, &got, err);
	if (!rc)
		*length_out = head + got;
	return rc;
}

/* More packed bytes, or the end of them. */
static int refill(struct byte_input *input, struct error *err)
{
	size_t got;
	int rc;

	if (input->at_end) {
		input->finished = true;
		return stream_decoder_finish(input->decoder, err);
	}
	rc = input_stream_read(input->stream, input->packed, PACKED_BYTES,
			       &got, err);
	if (rc)
		return rc;
	input->at_end = got == 0;
	input->taken += got;
	input->pending = byte_view(input->packed, got);
	return 0;
}

static int read_packed(struct byte_input *input, uint8_t *buffer,
		       size_t capacity, size_t *length_out, struct error *err)
{
	size_t length = 0;

	while (length < capacity && !input->finished) {
		size_t got = 0;
		int rc = stream_decoder_read(input->decoder, &input->pending,
					     buffer + length,
					     capacity - length, &got, err);

		if (!rc && got == 0 && input->pending.length == 0)
			rc = refill(input, err);
		if (rc) {
			error_prefix(err, "'%s'", input->path);
			return error_at(err, input->path, 0, 0);
		}
		length += got;
	}
	*length_out = length;
	return 0;
}

int byte_input_decode(struct byte_input *input, const char *encoding,
		      struct error *err)
{
	return text_decoder_new(&input->text, encoding, err);
}

const char *byte_input_encoding(const struct byte_input *input)
{
	return input->text ? text_decoder_encoding(input->text) : NULL;
}

static int read_bytes(void *context, void *buffer, size_t capacity,
		      size_t *length_out, struct error *err)
{
	struct byte_input *input = context;

	*length_out = 0;
	if (input->decoder)
		return read_packed(input, buffer, capacity, length_out, err);
	return read_bare(input, buffer, capacity, length_out, err);
}

int byte_input_read(struct byte_input *input, void *buffer, size_t capacity,
		    size_t *length_out, struct error *err)
{
	struct text_pull pull = { read_bytes, input };
	int rc;

	if (!input->text)
		return read_bytes(input, buffer, capacity, length_out, err);
	rc = text_decoder_read(input->text, &pull, buffer, capacity,
			       length_out, err);
	if (rc == ERROR_BAD_ENCODING)
		error_at(err, input->path, 1, 0);
	return rc;
}

uint64_t byte_input_taken(const struct byte_input *input)
{
	return input->taken;
}

bool byte_input_is_file(const char *path)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
	       S_ISREG(info.st_mode);
}

uint64_t byte_input_size(const char *path)
{
	struct stat info;
	uint8_t magic[MAGIC_BYTES];
	ssize_t got;
	int descriptor;

	if (strcmp(path, "-") == 0 || stat(path, &info) != 0 ||
	    !S_ISREG(info.st_mode) || info.st_size <= 0)
		return 0;
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return 0;
	got = read(descriptor, magic, sizeof(magic));
	close(descriptor);
	if (got < 0 || codec_of_magic(magic, (size_t)got) != CODEC_NONE)
		return 0;
	return (uint64_t)info.st_size;
}
