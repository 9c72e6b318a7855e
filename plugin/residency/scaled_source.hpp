#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/master_store.hpp"

#include <string>

namespace lowtide::residency {

/// Reads a storage and brings it to e4m3 with one scale for each output channel (row): the elements
/// first, the scales at Storage::scaleOffset(). Each read polls cancel. Copy thread; `scratch` is
/// nobody else's meanwhile. `role`: for messages.
[[nodiscard]] ByteSource scaledSource(std::shared_ptr<const files::InputFile> file,
                                      std::string role,
                                      const memory::Storage& storage,
                                      std::span<std::byte> scratch,
                                      std::shared_ptr<Arrival> arrival,
                                      StopToken stop);

}  // namespace lowtide::residency
