#include "ui/panels/memory_line.hpp"

#include "plugin/base/units.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/panels/plan_view.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(MemoryLine)
};

const Json* fullestDevice(const Json& plan) {
    const Json* fullest = nullptr;
    for (const Json& device : memberIn(plan, "devices")) {
        if (!fullest || bytesIn(device, "peak") > bytesIn(*fullest, "peak")) {
            fullest = &device;
        }
    }
    return fullest;
}

double secondsOf(const Json& plan) {
    double seconds = 0;
    for (const Json& stage : memberIn(plan, "stages")) {
        seconds += numberIn(stage, "seconds");
    }
    return seconds;
}

MemoryLine refusedLine(const Issues& issues) {
    const auto found = std::find_if(issues.begin(), issues.end(), [](const Issue& issue) {
        return issue.code == "memory_infeasible";
    });
    if (found == issues.end()) {
        return {};
    }
    return {.text = Words::tr("Does not fit: %1").arg(QString::fromStdString(found->message)),
            .detail = QString::fromStdString(found->hint),
            .fits = false};
}

}  // namespace

MemoryLine memoryLineOf(const Planned& planned) {
    if (!planned.plan.is_object()) {
        return refusedLine(planned.issues);
    }
    const Json* device = fullestDevice(planned.plan);
    if (device == nullptr) {
        return {};
    }
    QStringList parts = {
        Words::tr("Needs %1")
            .arg(partText(bytesIn(*device, "peak"), bytesIn(*device, "capacity")))};
    if (const int percent = streamedPercent(planned.plan, textIn(*device, "device")); percent > 0) {
        parts.push_back(Words::tr("streams %1 %").arg(percent));
    }
    parts.push_back(durationText(secondsOf(planned.plan)));
    const bool isEstimated = memberIn(*device, "estimated") == true;
    return {.text = parts.join(QStringLiteral(", ")),
            .detail = Words::tr("The most that %1 will hold, of its budget. %2")
                          .arg(QString::fromStdString(textIn(*device, "device")),
                               isEstimated
                                   ? Words::tr("The time is an estimate; `lowtide calibrate` "
                                               "measures this device.")
                                   : Words::tr("The time is from this device's measured speeds."))};
}

QString partText(Bytes part, Bytes whole) {
    const bool isLarge = whole >= kGiB;
    const double unit = static_cast<double>(isLarge ? kGiB : kMiB);
    const int digits = isLarge && part >= kGiB / 10 ? 1 : isLarge ? 2 : 0;
    return QStringLiteral("%1 of %2 %3")
        .arg(static_cast<double>(part) / unit, 0, 'f', digits)
        .arg(static_cast<double>(whole) / unit, 0, 'f', isLarge ? 1 : 0)
        .arg(isLarge ? QStringLiteral("GiB") : QStringLiteral("MiB"));
}

QString durationText(double seconds) {
    constexpr double kMinute = 60;
    constexpr double kLongestInSeconds = 90;
    if (seconds < 1) {
        return Words::tr("under 1 s");
    }
    if (seconds < kLongestInSeconds) {
        return Words::tr("about %1 s").arg(std::lround(seconds));
    }
    return Words::tr("about %1 min").arg(std::lround(seconds / kMinute));
}

}  // namespace lowtide::ui
