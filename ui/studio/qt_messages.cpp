#include "ui/studio/qt_messages.hpp"

#include "plugin/base/log.hpp"

#include <QByteArray>
#include <QString>
#include <QtGlobal>

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

void logQtMessages() {
    before = qInstallMessageHandler(toLog);
}

}  // namespace lowtide::ui
