#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/master_store.hpp"

#include <string>

namespace lowtide::residency {

/// Reads a storage that stays encoded, as a device holds it: its blocks, at Storage::heldOffset()
/// its companions, zeros between. Whole blocks are checked as they pass. Each read polls cancel.
/// Error{Corrupt} as requireSound(). Copy thread. `role`: for messages.
[[nodiscard]] ByteSource heldSource(std::shared_ptr<const files::InputFile> file,
                                    std::string role,
                                    const memory::Storage& storage,
                                    std::shared_ptr<Arrival> arrival,
                                    StopToken stop);

}  // namespace lowtide::residency
