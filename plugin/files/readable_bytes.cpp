#include "plugin/files/readable_bytes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::files {

uint64_t fromLittleEndian(std::string_view bytes) noexcept {
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<uint8_t>(bytes[i]);
    }
    return value;
}

std::string toLittleEndian(uint64_t number, int byteCount) {
    std::string bytes;
    for (int i = 0; i < byteCount; ++i, number >>= 8) {
        bytes += static_cast<char>(number & 0xFF);
    }
    return bytes;
}

MemoryBytes::MemoryBytes(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

void MemoryBytes::read(std::span<std::byte> target, Bytes offset) const {
    const auto count = static_cast<Bytes>(target.size());
    if (offset < 0 || offset > size() || count > size() - offset) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} bytes at {} are not inside its {} bytes",
                            quotedName(name_),
                            count,
                            offset,
                            size()));
    }
    std::copy_n(bytes_.begin() + offset, count, target.begin());
}

void refuseDamaged(const Message& subject, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", subject, problem),
                message("the file is damaged or incomplete: copy or download it again"));
}

void refuseDamaged(const std::string& subject, const Message& problem) {
    refuseDamaged(Message(subject), problem);
}

ByteCursor::ByteCursor(std::span<const std::byte> bytes, std::string subject)
    : bytes_(bytes), subject_(std::move(subject)) {}

uint64_t ByteCursor::number(int byteCount) {
    return fromLittleEndian(text(static_cast<uint64_t>(byteCount)));
}

int64_t ByteCursor::signedNumber(int byteCount) {
    const uint64_t value = number(byteCount);
    const int unused = 64 - 8 * byteCount;
    return unused == 0 ? static_cast<int64_t>(value)
                       : static_cast<int64_t>(value << unused) >> unused;
}

std::string_view ByteCursor::text(uint64_t byteCount) {
    if (byteCount > bytes_.size() - position_) {
        refuseEnd(subject_, bytes_.size(), byteCount, position_);
    }
    const auto* start = reinterpret_cast<const char*>(bytes_.data()) + position_;
    position_ += static_cast<size_t>(byteCount);
    return {start, static_cast<size_t>(byteCount)};
}

std::string_view ByteCursor::line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + position_,
                                bytes_.size() - position_);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
        refuseEnd(subject_, bytes_.size(), rest.size() + 1, position_);
    }
    position_ += end + 1;
    return rest.substr(0, end);
}

void refuseEnd(const std::string& subject, uint64_t size, uint64_t wanted, uint64_t position) {
    refuseDamaged(
        subject,
        message("ends at byte {}, but {} more are to follow byte {}", size, wanted, position));
}

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
        refuseDamaged(
            subject_,
            message("its header is longer than the {} that are read", formatBytes(limit_)));
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
