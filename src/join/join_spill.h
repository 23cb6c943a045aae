#ifndef JOIN_JOIN_SPILL_H
#define JOIN_JOIN_SPILL_H
#include "join/row_store.h"
#endif
