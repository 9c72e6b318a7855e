#pragma once

#include "plugin/files/readable_bytes.hpp"

#include <cstdint>
#include <string>

namespace lowtide::files {

/// Walks over the front of a file whose end is not known ahead, reading it in pieces of 64 KiB.
/// Never takes memory that the file cannot fill.
class PieceCursor {
public:
    /// `bytes` must outlive it. `subject` begins the messages. What lies behind byte `limit` is
    /// refused: Error{Corrupt}, as where the bytes end.
    PieceCursor(const ReadableBytes& bytes, std::string subject, Bytes limit);

    /// A little-endian number of 1 to 8 bytes.
    [[nodiscard]] uint64_t number(int byteCount);
    [[nodiscard]] std::string text(uint64_t byteCount);

    [[nodiscard]] Bytes position() const { return position_; }

    /// Bytes from here to the end of the file.
    [[nodiscard]] uint64_t left() const { return static_cast<uint64_t>(bytes_.size() - position_); }

    [[nodiscard]] const std::string& subject() const { return subject_; }

private:
    void readPiece();

    const ReadableBytes& bytes_;
    std::string subject_;
    Bytes limit_ = 0;
    Bytes position_ = 0;
    std::string piece_;
    Bytes pieceStart_ = 0;
};

}  // namespace lowtide::files
