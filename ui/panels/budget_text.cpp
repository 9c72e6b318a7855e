#include "ui/panels/budget_text.hpp"

#include <bit>

namespace lowtide::ui {

std::string budgetText(Bytes bytes) {
    struct Unit {
        Bytes bytes;
        const char* name;
    };

    for (const Unit& unit : {Unit{kGiB, "GiB"}, Unit{kMiB, "MiB"}, Unit{kKiB, "KiB"}}) {
        if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
            return std::to_string(bytes / unit.bytes) + unit.name;
        }
    }
    return std::to_string(bytes);
}

Bytes roundedUp(Bytes bytes) {
    if (bytes < 16 * kKiB) {
        return alignUp(bytes, kKiB);
    }
    const Bytes power = static_cast<Bytes>(std::bit_floor(static_cast<uint64_t>(bytes)));
    return alignUp(bytes, power / 16);
}

}  // namespace lowtide::ui
