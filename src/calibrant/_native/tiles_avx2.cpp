#define CALIBRANT_NAMESPACE avx2
#define CALIBRANT_LANES 4
#define CALIBRANT_ROWS 4
#include "tiles.inc"
