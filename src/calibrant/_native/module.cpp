// The Python module of the native core; every part binds itself.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_tiles(nb::module_ &m);
void bind_relabel(nb::module_ &m);
void bind_line(nb::module_ &m);
void bind_binning(nb::module_ &m);
void bind_sampling(nb::module_ &m);
void bind_coupling(nb::module_ &m);
void bind_consistency(nb::module_ &m);

NB_MODULE(_core, m) {
    m.doc() = "Native routines of calibrant; each has a NumPy twin.";
    bind_tiles(m);
    bind_relabel(m);
    bind_line(m);
    bind_binning(m);
    bind_sampling(m);
    bind_coupling(m);
    bind_consistency(m);
}
