#pragma once

#include "plugin/base/units.hpp"

#include <QString>

#include <optional>
#include <string>

namespace lowtide::ui {

/// "21.5 MiB": a size as users read it, the same everywhere.
[[nodiscard]] QString bytesText(Bytes bytes);
/// The bytes exactly, in the largest unit that holds them whole: "6 GiB", "1536 MiB", "4097".
[[nodiscard]] QString wholeBytesText(Bytes bytes);
/// A device as users read it: "CPU", "cuda:0", "Rehearse on 4 GiB" for "fake:4GiB", "rehearsed
/// card" for "fake".
[[nodiscard]] QString deviceText(const std::string& spec);
/// What was measured: "820 ms", "12.4 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] QString secondsText(double seconds);
/// What is foretold: "under 1 s", "about 12 s", "about 4 min", "about 8 h 44 min".
[[nodiscard]] QString durationText(double seconds);
/// What is left, as a clock counts it down: "0:08", "1:40", "59:59", then "2 h 5 min".
[[nodiscard]] QString clockText(double seconds);
/// How far work is: "step 4 of 20, about 12 s left"; without a time, the phase alone.
[[nodiscard]] QString progressText(const QString& phase, std::optional<double> secondsLeft);

/// A name that somebody chose, as a menu or a button shows it: no "&" in it marks a key.
[[nodiscard]] inline QString menuText(QString name) {
    return name.replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace lowtide::ui
