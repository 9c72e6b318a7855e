#include "ui/bridge/failures.hpp"

#include "plugin/base/log.hpp"

#include <QCoreApplication>

#include <exception>

namespace lowtide::ui {

namespace {

constexpr qint64 kSameMilliseconds = 1000;

QString currentReason() {
    try {
        throw;
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    } catch (...) {
        return QStringLiteral("an exception of an unknown type");
    }
}

}  // namespace

Failures& Failures::instance() {
    static Failures failures;
    return failures;
}

void Failures::takeCurrent() noexcept {
    try {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [this, reason = currentReason()] { take(reason); },
            Qt::QueuedConnection);
    } catch (...) {  // no memory is left to report it
    }
}

void Failures::take(const QString& reason) {
    const bool isKnown =
        reason == last_ && since_.isValid() && since_.elapsed() < kSameMilliseconds;
    since_.start();
    if (!isKnown) {
        last_ = reason;
        log(Level::Error, "a part of the studio failed: " + reason.toStdString());
        Q_EMIT happened(reason);
    }
}

}  // namespace lowtide::ui
