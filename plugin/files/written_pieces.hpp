#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/output_file.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace lowtide::files {

/// Fills `piece` with the bytes of a tensor from byte `offset` on. Called front to back, for whole
/// blocks of the tensor's type, at most kReadPiece bytes each.
using FillPiece = std::function<void(std::span<std::byte> piece, Bytes offset)>;

/// Writes `total` bytes, whole blocks of `block` bytes at once. Error{Cancelled} between pieces;
/// and the errors of `fill` and OutputFile.
void writePieces(
    OutputFile& file, Bytes total, Bytes block, const FillPiece& fill, const StopToken& stop);

}  // namespace lowtide::files
