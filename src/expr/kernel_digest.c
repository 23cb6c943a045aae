/*
 * kernel_digest.c - md5, sha1 and sha256 of VARBINARY
 *
 * Why:    keys of rows and columns made anonymous are often digests.
 * How:    RFC 1321, FIPS 180-4, straight from the definitions. The three
 *         share blocks of 64 bytes and the padding: a one bit, zeroes, and
 *         the length in bits at the end, for MD5 with its low byte first.
 * Cost:   2-4 ns a byte, 64 bytes at least.
 */
#include "expr/kernel_digest.h"

#define BLOCK_BYTES 64
#define LENGTH_BYTES 8

struct digest {
	unsigned variant;
	uint32_t words[8];
};

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static uint32_t big_word(const uint8_t *data)
{
	return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 |
	       (uint32_t)data[2] << 8 | data[3];
}

static uint32_t little_word(const uint8_t *data)
{
	return (uint32_t)data[3] << 24 | (uint32_t)data[2] << 16 |
	       (uint32_t)data[1] << 8 | data[0];
}

static const uint32_t md5_sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf,
	0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
	0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e,
	0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
	0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6,
	0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039,
	0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97,
	0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d,
	0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void md5_block(uint32_t *words, const uint8_t *block)
{
	static const uint8_t shifts[4][4] = {
		{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 },
		{ 6, 10, 15, 21 },
	};
	uint32_t a = words[0], b = words[1], c = words[2], d = words[3];

	for (unsigned i = 0; i < 64; i++) {
		unsigned round = i / 16, pick;
		uint32_t mixed, next;

		switch (round) {
		case 0:
			mixed = (b & c) | (~b & d);
			pick = i;
			break;
		case 1:
			mixed = (d & b) | (~d & c);
			pick = (5 * i + 1) % 16;
			break;
		case 2:
			mixed = b ^ c ^ d;
			pick = (3 * i + 5) % 16;
			break;
		default:
			mixed = c ^ (b | ~d);
			pick = 7 * i % 16;
			break;
		}
		next = a + mixed + md5_sines[i] + little_word(block +
							      4 * pick);
		a = d;
		d = c;
		c = b;
		b += rotate(next, shifts[round][i % 4]);
	}
	words[0] += a;
	words[1] += b;
	words[2] += c;
	words[3] += d;
}

static void sha1_block(uint32_t *words, const uint8_t *block)
{
	static const uint32_t keys[4] = {
		0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6,
	};
	uint32_t w[80], s[5];

	for (unsigned i = 0; i < 16; i++)
		w[i] = big_word(block + 4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(s, words, sizeof(s));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t mixed, next;

		if (i < 20)
			mixed = (s[1] & s[2]) | (~s[1] & s[3]);
		else if (i >= 40 && i < 60)
			mixed = (s[1] & s[2]) | (s[1] & s[3]) |
				(s[2] & s[3]);
		else
			mixed = s[1] ^ s[2] ^ s[3];
		next = rotate(s[0], 5) + mixed + s[4] + keys[i / 20] + w[i];
		s[4] = s[3];
		s[3] = s[2];
		s[2] = rotate(s[1], 30);
		s[1] = s[0];
		s[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		words[i] += s[i];
}

static const uint32_t sha256_keys[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
	0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
	0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
	0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
	0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void sha256_block(uint32_t *words, const uint8_t *block)
{
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = big_word(block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(a, 25) ^ rotate(a, 14) ^ a >> 3) +
		       (rotate(b, 15) ^ rotate(b, 13) ^ b >> 10);
	}
	memcpy(s, words, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = s[7] + sha256_keys[i] + w[i] +
			       ((s[4] & s[5]) ^ (~s[4] & s[6])) +
			       (rotate(s[4], 26) ^ rotate(s[4], 21) ^
				rotate(s[4], 7));
		uint32_t two = (rotate(s[0], 30) ^ rotate(s[0], 19) ^
				rotate(s[0], 10)) +
			       ((s[0] & s[1]) ^ (s[0] & s[2]) ^
				(s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		words[i] += s[i];
}

static void digest_block(struct digest *digest, const uint8_t *block)
{
	if (digest->variant == DIGEST_MD5)
		md5_block(digest->words, block);
	else if (digest->variant == DIGEST_SHA1)
		sha1_block(digest->words, block);
	else
		sha256_block(digest->words, block);
}

static void digest_begin(struct digest *digest)
{
	static const uint32_t sha256_first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	static const uint32_t first[5] = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
	};

	if (digest->variant == DIGEST_SHA256)
		memcpy(digest->words, sha256_first, sizeof(sha256_first));
	else
		memcpy(digest->words, first, sizeof(first));
}

static void digest_bytes(struct digest *digest, struct byte_view data)
{
	uint64_t bits = (uint64_t)data.length * 8;
	uint8_t end[2 * BLOCK_BYTES] = { 0 };
	size_t left = data.length, end_bytes = BLOCK_BYTES;
	bool is_little = digest->variant == DIGEST_MD5;

	digest_begin(digest);
	for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES)
		digest_block(digest, data.data + data.length - left);
	if (left)
		memcpy(end, data.data + data.length - left, left);
	end[left] = 0x80;
	if (left >= BLOCK_BYTES - LENGTH_BYTES)
		end_bytes *= 2;
	for (size_t i = 0; i < LENGTH_BYTES; i++)
		end[is_little ? end_bytes - LENGTH_BYTES + i
			      : end_bytes - 1 - i] = (uint8_t)(bits >> 8 * i);
	digest_block(digest, end);
	if (end_bytes > BLOCK_BYTES)
		digest_block(digest, end + BLOCK_BYTES);
}

int binary_digest(struct kernel_call *call)
{
	static const uint8_t sizes[] = { 16, 20, 32 };
	struct digest digest = { .variant = call->node->function->variant };
	size_t size = sizes[digest.variant];

	KERNEL_ROWS(call, i) {
		uint8_t *out = arena_alloc_bytes(call->heap, size);

		if (!out)
			return error_set(call->err, ERROR_NO_MEMORY,
					 "digests");
		digest_bytes(&digest, vector_bytes(call->args[0])[i]);
		for (size_t k = 0; k < size; k++) {
			unsigned byte = k % 4;

			if (digest.variant != DIGEST_MD5)
				byte = 3 - byte;
			out[k] = (uint8_t)(digest.words[k / 4] >> 8 * byte);
		}
		vector_bytes(call->result)[i] = byte_view(out, size);
	}
	return 0;
}
