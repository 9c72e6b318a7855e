#include "ui/theme/figures.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kMinute = 60;
/// Up to here seconds are easier to read than minutes.
constexpr double kLongestInSeconds = 90;
/// The same of minutes and hours.
constexpr double kLongestInMinutes = 90 * kMinute;

class Words {
    Q_DECLARE_TR_FUNCTIONS(Figures)
};

QString hoursText(long long minutes) {
    return minutes % 60 == 0 ? Words::tr("%1 h").arg(minutes / 60)
                             : Words::tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
}

}  // namespace

QString bytesText(Bytes bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString wholeBytesText(Bytes bytes) {
    constexpr std::pair<Bytes, const char*> kUnits[] = {
        {kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}};
    for (const auto& [unit, name] : kUnits) {
        if (bytes >= unit && bytes % unit == 0) {
            return QStringLiteral("%1 %2").arg(bytes / unit).arg(QLatin1String(name));
        }
    }
    return QString::number(bytes);
}

QString deviceText(const std::string& spec) {
    const std::string size = spec.starts_with("fake:") ? spec.substr(5, spec.find(',') - 5) : "";
    if (const std::optional<Bytes> bytes = parseBytes(size)) {
        return Words::tr("Rehearse on %1")
            .arg(*bytes % kMiB == 0 ? wholeBytesText(*bytes) : bytesText(*bytes));
    }
    return spec == "cpu"    ? Words::tr("CPU")
           : spec == "fake" ? Words::tr("rehearsed card")
                            : QString::fromStdString(spec);
}

QString secondsText(double seconds) {
    if (seconds < 1) {
        return Words::tr("%1 ms").arg(std::llround(seconds * 1000));
    }
    if (seconds < kLongestInSeconds) {
        return Words::tr("%1 s").arg(seconds, 0, 'f', 1);
    }
    const auto whole = std::llround(seconds);
    if (seconds >= kLongestInMinutes) {
        return hoursText(std::llround(seconds / kMinute));
    }
    return Words::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

QString durationText(double seconds) {
    if (seconds < 1) {
        return Words::tr("under 1 s");
    }
    if (seconds < kLongestInSeconds) {
        return Words::tr("about %1 s").arg(std::lround(seconds));
    }
    if (seconds >= kLongestInMinutes) {
        return Words::tr("about %1").arg(hoursText(std::llround(seconds / kMinute)));
    }
    return Words::tr("about %1 min").arg(std::lround(seconds / kMinute));
}

QString clockText(double seconds) {
    constexpr long long kPerMinute = 60;
    const auto whole = static_cast<long long>(std::ceil(std::max(0.0, seconds)));
    return whole >= kPerMinute * kPerMinute ? hoursText(std::llround(seconds / kMinute))
                                            : QStringLiteral("%1:%2")
                                                  .arg(whole / kPerMinute)
                                                  .arg(whole % kPerMinute, 2, 10, QLatin1Char('0'));
}

QString progressText(const QString& phase, std::optional<double> secondsLeft) {
    if (!secondsLeft || !std::isfinite(*secondsLeft) || *secondsLeft < 0) {
        return phase;
    }
    const QString left = Words::tr("%1 left").arg(durationText(*secondsLeft));
    return phase.isEmpty() ? left : Words::tr("%1, %2").arg(phase, left);
}

}  // namespace lowtide::ui
