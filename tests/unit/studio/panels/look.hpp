#pragma once

#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

#include <memory>

namespace lowtide::test {

/// The look that the widgets of a test are made in.
inline void wear(ui::Theme::Scheme scheme) {
    ui::Theme::setCurrent(std::make_shared<const ui::Theme>(scheme));
    ui::Theme::current().applyTo(*qApp);
}

/// Rows "light" and "dark" of a test that looks at its widgets.
inline void addSchemes() {
    QTest::addColumn<bool>("isDark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

/// Shows the widget, keeps its screenshot, and returns what is wrong with its texts.
inline QString lookAt(QWidget& widget, const QString& name) {
    widget.show();
    if (!QTest::qWaitForWindowExposed(&widget)) {
        return QStringLiteral("it is not shown");
    }
    QCoreApplication::processEvents();
    keepScreenshot(widget, name + QStringLiteral("_") + QTest::currentDataTag());
    return textProblems(widget).join(QLatin1Char('\n'));
}

}  // namespace lowtide::test
