#pragma once

#include "plugin/files/pickle.hpp"
#include "plugin/files/readable_bytes.hpp"
#include "plugin/files/torch_storages.hpp"

#include <span>
#include <string_view>

namespace lowtide::files {

/// Whether the bytes begin as PyTorch before 1.6 saved files: pickles in a row, then the storages.
[[nodiscard]] bool looksLikeLegacyTorch(const ReadableBytes& bytes);

/// What such a file holds: the pickle of the value that was saved, and where its storages lie.
struct LegacyTorch {
    Pickle pickle;
    StoragePlaces storages;
};

/// Reads it without running anything. `allowed`: as readPickle() takes it. Error{Corrupt},
/// Error{Unsupported} name file, operation, global or storage. Source: torch 2.11 serialization.py,
/// _legacy_load.
[[nodiscard]] LegacyTorch readLegacyTorch(const ReadableBytes& bytes,
                                          std::span<const std::string_view> allowed);

}  // namespace lowtide::files
