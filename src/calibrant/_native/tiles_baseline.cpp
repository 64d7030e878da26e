#define CALIBRANT_NAMESPACE baseline
#define CALIBRANT_LANES 2
#define CALIBRANT_ROWS 2
#include "tiles.inc"
