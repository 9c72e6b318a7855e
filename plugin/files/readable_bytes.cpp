#include "plugin/files/readable_bytes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::files {

MemoryBytes::MemoryBytes(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

void MemoryBytes::read(std::span<std::byte> target, Bytes offset) const {
    const auto count = static_cast<Bytes>(target.size());
    if (offset < 0 || offset > size() || count > size() - offset) {
        throw Error(ErrorKind::Corrupt,
                    quotedName(name_) + ": " + std::to_string(count) + " bytes at " +
                        std::to_string(offset) + " are not inside its " + std::to_string(size()) +
                        " bytes");
    }
    std::copy_n(bytes_.begin() + offset, count, target.begin());
}

void refuseDamaged(const std::string& subject, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                subject + ": " + problem,
                "the file is damaged or incomplete: copy or download it again");
}

}  // namespace lowtide::files
