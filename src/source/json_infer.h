#ifndef SOURCE_JSON_INFER_H
#define SOURCE_JSON_INFER_H
#include "source/csv_source.h"

/* csv_input_infer() of JSON Lines; the input is used up, not freed. */
int json_infer(struct csv_input *input, struct schema *out,
	       struct error *err);
#endif
