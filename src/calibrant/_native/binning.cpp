#include <nanobind/nanobind.h>
void bind_binning(nanobind::module_ &) {}
