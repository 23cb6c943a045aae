#ifndef PUFFIN_PUFFIN_H
#define PUFFIN_PUFFIN_H
#include "codec/codec.h"
#include "io/io.h"

/*
 * puffin: Puffin files and the deletion vectors in them (Iceberg puffin spec;
 * blob type deletion-vector-v1). It knows no tables.
 */

/*
 * Writes one Puffin file of deletion vectors, one blob per data file. Free
 * before finish leaves the caller's file to the caller.
 */
struct puffin_writer;
/* file is kept. Writes the magic. */
int puffin_writer_new(struct puffin_writer **out, struct output_file *file,
		      const char *created_by, struct error *err);
/* Where one blob is, as the manifest entry repeats it. */
struct puffin_blob {
	uint64_t offset;
	uint64_t length;
	uint64_t cardinality;
};
/* positions must not be empty. referenced_data_file: the exact path. */
int puffin_writer_add_vector(struct puffin_writer *writer,
			     struct roaring64 *positions,
			     const char *referenced_data_file,
			     struct puffin_blob *out, struct error *err);
/* Footer written, file flushed. */
int puffin_writer_finish(struct puffin_writer *writer, struct error *err);
void puffin_writer_free(struct puffin_writer *writer);

/*
 * Read one deletion vector at the place that a manifest entry gives; length
 * word, magic, CRC and cardinality are checked, and that the file is a Puffin
 * file (magic at both ends). Errors: ERROR_CORRUPT with the path.
 */
int deletion_vector_read(struct roaring64 **out, struct input_file *file,
			 uint64_t offset, uint64_t length,
			 uint64_t cardinality, struct error *err);
#endif
