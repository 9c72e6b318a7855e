#pragma once

#include "plugin/checkpoints/adapters/bind_adapter.hpp"

namespace lowtide::models {

/// The layer of some rows of a fused layer's change: its factors with one row for each of
/// `allRows`, cut where they lie. Error{Unsupported} names a layer whose factors have no such rows.
[[nodiscard]] AdapterLayer rowsOfLayer(const AdapterLayer& layer,
                                       const AdapterRows& rows,
                                       int64_t allRows,
                                       const std::string& what);

}  // namespace lowtide::models
