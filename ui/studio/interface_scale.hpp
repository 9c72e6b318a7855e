#pragma once

#include "ui/studio/desktop_wishes.hpp"

#include <QString>

namespace lowtide::ui {

/// How much larger than the screen's own scale texts, controls and everything with them are shown:
/// what a person chose (percent) times what the desktop wants. `pointSize`: of the desktop's font
/// for programs; 0: none is known. `platform`: of QGuiApplication. X11 tells Qt the desktop's text
/// scale as the resolution of its screens, so there it counts already.
[[nodiscard]] double interfaceScale(const QString& percent,
                                    const DesktopWishes& wishes,
                                    double pointSize,
                                    const QString& platform);

/// Holds Qt's factor while a QApplication is made, times the one that the environment has, which is
/// as before afterwards: programs that the studio starts are not scaled.
class ScaledStart {
public:
    explicit ScaledStart(double scale);
    ~ScaledStart();

    ScaledStart(const ScaledStart&) = delete;
    ScaledStart& operator=(const ScaledStart&) = delete;

private:
    QByteArray before_;
    bool wasSet_;
};

}  // namespace lowtide::ui
