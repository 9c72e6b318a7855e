#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace lowtide::ui {

/// What a part of the program threw past every catch of its own. No exception may pass through Qt:
/// who calls such parts (an application's notify(), jobs on other threads) catches it and brings it
/// here, and the program goes on.
class Failures : public QObject {
    Q_OBJECT

public:
    static Failures& instance();
    /// Takes the exception that is being handled: a line of the log, then happened(). The same one
    /// within a second is taken once, since a paint event that failed comes again at once. Any
    /// thread.
    void takeCurrent() noexcept;

Q_SIGNALS:
    /// From the event loop of the GUI thread.
    void happened(const QString& reason);

private:
    void take(const QString& reason);

    QString last_;
    QElapsedTimer since_;
};

}  // namespace lowtide::ui
