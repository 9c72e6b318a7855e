#include "plugin/files/byte_cursor.hpp"

#include "plugin/files/little_endian.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <utility>

namespace lowtide::files {

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
    refuseDamaged(subject,
                  "ends at byte " + std::to_string(size) + ", but " + std::to_string(wanted) +
                      " more are to follow byte " + std::to_string(position));
}

}  // namespace lowtide::files
