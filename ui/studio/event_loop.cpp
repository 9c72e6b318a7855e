#include "ui/studio/event_loop.hpp"

#include "plugin/base/log.hpp"
#include "ui/bridge/failures.hpp"

#include <QByteArray>
#include <QString>
#include <QtGlobal>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace lowtide::ui {

namespace {

QtMessageHandler before = nullptr;

void toLog(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (type == QtFatalMsg) {
        before(type, context, text);  // it ends the program
        return;
    }
    const Level level = type == QtCriticalMsg  ? Level::Error
                        : type == QtWarningMsg ? Level::Warning
                        : type == QtInfoMsg    ? Level::Info
                                               : Level::Debug;
    log(level, "Qt: " + text.toStdString());
}

}  // namespace

bool StudioApplication::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (...) {
        Failures::instance().takeCurrent();
        return false;
    }
}

int runEventLoop() {
    try {
        return QApplication::exec();
    } catch (const std::exception& error) {
        std::fprintf(stderr,
                     "lowtide-studio: a part of the studio failed: %s; what was not saved is "
                     "offered at the next start\n",
                     error.what());
        std::_Exit(kFailedExit);
    }
}

void logQtMessages() {
    before = qInstallMessageHandler(toLog);
}

}  // namespace lowtide::ui
