#define CALIBRANT_NAMESPACE avx512
#define CALIBRANT_LANES 8
#define CALIBRANT_ROWS 8
#include "tiles.inc"
