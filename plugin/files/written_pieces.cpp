#include "plugin/files/written_pieces.hpp"

#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::files {

void writePieces(
    OutputFile& file, Bytes total, Bytes block, const FillPiece& fill, const StopToken& stop) {
    std::vector<std::byte> piece(static_cast<size_t>(std::min(total, kReadPiece / block * block)));
    for (Bytes offset = 0; offset < total; offset += static_cast<Bytes>(piece.size())) {
        stop.throwIfStopped();
        piece.resize(
            static_cast<size_t>(std::min(static_cast<Bytes>(piece.size()), total - offset)));
        fill(piece, offset);
        file.write(piece);
    }
}

}  // namespace lowtide::files
