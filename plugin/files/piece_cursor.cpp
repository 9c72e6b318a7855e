#include "plugin/files/piece_cursor.hpp"

#include "plugin/files/byte_cursor.hpp"
#include "plugin/files/little_endian.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::files {

namespace {

constexpr Bytes kPieceBytes = 64 * kKiB;

}  // namespace

PieceCursor::PieceCursor(const ReadableBytes& bytes, std::string subject, Bytes limit)
    : bytes_(bytes), subject_(std::move(subject)), limit_(limit) {}

uint64_t PieceCursor::number(int byteCount) {
    return fromLittleEndian(text(static_cast<uint64_t>(byteCount)));
}

std::string PieceCursor::text(uint64_t byteCount) {
    if (byteCount > left()) {
        refuseEnd(subject_,
                  static_cast<uint64_t>(bytes_.size()),
                  byteCount,
                  static_cast<uint64_t>(position_));
    }
    if (byteCount > static_cast<uint64_t>(limit_ - position_)) {
        refuseDamaged(subject_,
                      "its header is longer than the " + formatBytes(limit_) + " that are read");
    }
    std::string taken;
    taken.reserve(static_cast<size_t>(byteCount));
    while (taken.size() < byteCount) {
        readPiece();
        const auto from = static_cast<size_t>(position_ - pieceStart_);
        const size_t count =
            std::min(static_cast<size_t>(byteCount) - taken.size(), piece_.size() - from);
        taken.append(piece_, from, count);
        position_ += static_cast<Bytes>(count);
    }
    return taken;
}

/// Leaves a piece that holds the byte at position_, which is inside the file.
void PieceCursor::readPiece() {
    if (position_ < pieceStart_ + static_cast<Bytes>(piece_.size())) {
        return;
    }
    pieceStart_ = position_;
    piece_.resize(static_cast<size_t>(std::min(kPieceBytes, bytes_.size() - position_)));
    bytes_.read(std::as_writable_bytes(std::span(piece_)), pieceStart_);
}

}  // namespace lowtide::files
