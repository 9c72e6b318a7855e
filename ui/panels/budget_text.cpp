#include "ui/panels/budget_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>

#include <bit>

namespace lowtide::ui {

namespace {

struct BudgetWords {
    Q_DECLARE_TR_FUNCTIONS(Budget)
};

std::optional<memory::MemoryBudget> readBudget(const std::string& text) {
    return memory::isMemoryBudget(text) ? std::optional(memory::parseMemoryBudget(text))
                                        : std::nullopt;
}

}  // namespace

QString budgetProblem(const QString& text) {
    const std::string stated = text.trimmed().toStdString();
    if (stated.empty()) {
        return {};
    }
    const std::optional<memory::MemoryBudget> read = readBudget(stated);
    bool isPositive = read.has_value() && read->main.value_or(1) > 0;
    for (const auto& [device, bytes] : read.value_or(memory::MemoryBudget()).devices) {
        isPositive = isPositive && bytes > 0;
    }
    return isPositive ? QString()
                      : BudgetWords::tr(
                            "“%1” is not a memory budget. Enter a size such as 6GiB, one for "
                            "each device such as cuda:0=20GiB,cpu=8GiB, or nothing.")
                            .arg(text.trimmed());
}

std::optional<std::string> statedBudget(const QString& text) {
    const std::string stated = text.trimmed().toStdString();
    return stated.empty() ? std::nullopt : std::optional(stated);
}

std::optional<Bytes> budgetOf(const std::string& stated, const std::string& device) {
    const std::optional<memory::MemoryBudget> read = readBudget(stated);
    return read ? read->of(memory::parseDeviceSpec(device), true) : std::nullopt;
}

std::string withBudget(const std::string& stated,
                       const std::string& device,
                       Bytes bound,
                       Bytes size) {
    const memory::MemoryBudget read = readBudget(stated).value_or(memory::MemoryBudget());
    const bool isOfMain = !read.devices.contains(device) && read.main == bound;
    const std::string others = read.main ? budgetText(*read.main) + "," : std::string();
    return memory::withMain(
        stated, device, isOfMain ? budgetText(size) : others + device + "=" + budgetText(size));
}

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
