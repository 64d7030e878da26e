#include <nanobind/nanobind.h>
void bind_line(nanobind::module_ &) {}
