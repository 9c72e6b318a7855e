#pragma once

#include <QApplication>

namespace lowtide::ui {

/// Of a program that ends because a part of it failed: EX_SOFTWARE of sysexits.h.
inline constexpr int kFailedExit = 70;

/// An application in which no exception passes through Qt: what the handler of an event throws goes
/// to Failures, and the next event follows.
class StudioApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
};

/// Runs the application's event loop; its exit status. What a part throws through it all the same
/// ends the program at once with a sentence on stderr and kFailedExit, so that the journal is kept:
/// the next start offers what was not saved.
[[nodiscard]] int runEventLoop();

/// Qt's messages go to the log from now on, in place of standard error. For programs.
void logQtMessages();

}  // namespace lowtide::ui
