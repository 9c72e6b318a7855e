#pragma once
// Sources of a copy whose bytes on the device are not plain elements: what is held encoded, what is
// brought to e4m3 with scales.

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/host_weight_store.hpp"

#include <string>

namespace lowtide::residency {

/// Reads a storage that is held encoded, as a device holds it: its blocks, at Storage::heldOffset()
/// its companions, zeros between. Whole blocks are checked as they pass. Each read polls cancel.
/// Error{Corrupt} as requireValid(). Copy thread. `role`: for messages.
[[nodiscard]] ByteSource heldSource(std::shared_ptr<const files::InputFile> file,
                                    std::string role,
                                    const memory::Storage& storage,
                                    std::shared_ptr<Upload> upload,
                                    StopToken stop);

/// Reads a storage and brings it to e4m3 with one scale for each output channel (row): the elements
/// first, the scales at Storage::scaleOffset(). Each read polls cancel. Copy thread; `scratch` is
/// nobody else's meanwhile. `role`: for messages.
[[nodiscard]] ByteSource scaledSource(std::shared_ptr<const files::InputFile> file,
                                      std::string role,
                                      const memory::Storage& storage,
                                      std::span<std::byte> scratch,
                                      std::shared_ptr<Upload> upload,
                                      StopToken stop);

}  // namespace lowtide::residency
