#include "ui/panels/found_device.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

class DeviceWords {
    Q_DECLARE_TR_FUNCTIONS(FirstStart)
};

bool isCard(const Json& device) {
    const std::string kind = textIn(device, "kind");
    return kind != "cpu" && kind != "fake";
}

/// The better one of two devices; `best` may be nullptr.
bool isBetter(const Json& device, const Json* best) {
    const std::string kind = textIn(device, "kind");
    if (kind.empty() || kind == "fake") {
        return false;
    }
    if (best == nullptr || isCard(device) != isCard(*best)) {
        return best == nullptr || isCard(device);
    }
    return bytesIn(device, "capacity") > bytesIn(*best, "capacity");
}

}  // namespace

FoundDevice foundDevice(const Json& devices) {
    const Json* best = nullptr;
    if (!devices.is_array()) {
        return {.sentence = DeviceWords::tr("Lowtide is looking for devices...")};
    }
    for (const Json& device : devices) {
        best = isBetter(device, best) ? &device : best;
    }
    if (best == nullptr) {
        return {.sentence = DeviceWords::tr("Lowtide found no device to compute on.")};
    }
    const Bytes capacity = bytesIn(*best, "capacity");
    const QString name = QString::fromStdString(textIn(*best, "name")).simplified();
    const QString size = bytesText(capacity);
    const QString sentence =
        isCard(*best)
            ? DeviceWords::tr("Lowtide found the graphics card %1 with %2 of memory.")
                  .arg(name, size)
            : DeviceWords::tr(
                  "Lowtide found no graphics card and computes on the processor (%1) with %2 of "
                  "memory.")
                  .arg(name, size);
    return {.id = QString::fromStdString(textIn(*best, "id")),
            .sentence = sentence,
            .capacity = capacity};
}

}  // namespace lowtide::ui
