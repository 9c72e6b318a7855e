#include "ui/studio/interface_scale.hpp"

#include <QtGlobal>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr const char* kFactor = "QT_SCALE_FACTOR";
constexpr double kUsualPoints = 11;  ///< the largest that a desktop has by itself
constexpr double kMostScale = 4;

}  // namespace

double interfaceScale(const QString& percent,
                      const DesktopWishes& wishes,
                      double pointSize,
                      const QString& platform) {
    const double chosen = percent.toDouble() > 0 ? percent.toDouble() / 100 : 1;
    const double ofFont = std::max(1.0, pointSize / kUsualPoints);
    const double ofText = platform == QLatin1String("xcb") ? 1 : wishes.textScale;
    const double scale = chosen * std::max(ofFont, ofText);
    return std::clamp(std::round(scale * 20) / 20, 0.5, kMostScale);
}

ScaledStart::ScaledStart(double scale)
    : before_(qgetenv(kFactor)), wasSet_(qEnvironmentVariableIsSet(kFactor)) {
    const double own = before_.toDouble() > 0 ? before_.toDouble() : 1;
    qputenv(kFactor, QByteArray::number(own * scale));
}

ScaledStart::~ScaledStart() {
    if (wasSet_) {
        qputenv(kFactor, before_);
    } else {
        qunsetenv(kFactor);
    }
}

}  // namespace lowtide::ui
