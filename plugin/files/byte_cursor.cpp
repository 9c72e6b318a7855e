#include "plugin/files/byte_cursor.hpp"

#include "plugin/base/error.hpp"

#include <utility>

namespace lowtide::files {

ByteCursor::ByteCursor(std::span<const std::byte> bytes, std::string subject)
    : bytes_(bytes), subject_(std::move(subject)) {}

uint64_t ByteCursor::number(int byteCount) {
    const std::string_view bytes = text(static_cast<uint64_t>(byteCount));
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<uint8_t>(bytes[i]);
    }
    return value;
}

int64_t ByteCursor::signedNumber(int byteCount) {
    const uint64_t value = number(byteCount);
    const int unused = 64 - 8 * byteCount;
    return unused == 0 ? static_cast<int64_t>(value)
                       : static_cast<int64_t>(value << unused) >> unused;
}

std::string_view ByteCursor::text(uint64_t byteCount) {
    if (byteCount > bytes_.size() - position_) {
        refuseEnd(byteCount);
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
        refuseEnd(rest.size() + 1);
    }
    position_ += end + 1;
    return rest.substr(0, end);
}

void ByteCursor::refuseEnd(uint64_t wanted) const {
    throw Error(ErrorKind::Corrupt,
                subject_ + ": ends at byte " + std::to_string(bytes_.size()) + ", but " +
                    std::to_string(wanted) + " more are to follow byte " +
                    std::to_string(position_),
                "the file is damaged or incomplete: copy or download it again");
}

}  // namespace lowtide::files
