#include "ui/panels/budget_text.hpp"

#include "ui/theme/figures.hpp"

#include <bit>

namespace lowtide::ui {

std::string budgetText(Bytes bytes) {
    return wholeBytesText(bytes).remove(QLatin1Char(' ')).toStdString();
}

Bytes roundedUp(Bytes bytes) {
    if (bytes < 16 * kKiB) {
        return alignUp(bytes, kKiB);
    }
    const Bytes power = static_cast<Bytes>(std::bit_floor(static_cast<uint64_t>(bytes)));
    return alignUp(bytes, power / 16);
}

}  // namespace lowtide::ui
