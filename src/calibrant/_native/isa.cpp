#include <nanobind/nanobind.h>
void bind_tiles(nanobind::module_ &) {}
