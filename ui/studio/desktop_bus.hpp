#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// Where the desktop listens, as D-Bus writes addresses; empty: nowhere.
struct DesktopAddresses {
    QString session;
    QString system;
};

/// Those of the environment. Never one that would have to be started first.
[[nodiscard]] DesktopAddresses standardDesktop();

/// Whom to ask on a bus.
struct BusTarget {
    QString service;
    QString path;
    QString interface;

    [[nodiscard]] QDBusMessage call(const char* method, const QVariantList& arguments = {}) const;
};

/// A part of the desktop's portal: "Settings".
[[nodiscard]] BusTarget portal(const char* part);

/// A message bus, connected on another thread with the first question. Without one every question
/// is answered by an error, which is logged once. GUI thread only; never blocks it.
class DesktopBus : public QObject {
    Q_OBJECT

public:
    /// `what` for the log: "session bus".
    DesktopBus(const QString& address, const QString& what, QObject* parent = nullptr);
    /// Leaves the bus: what was asked for in its name ends.
    ~DesktopBus() override;

    /// `done` gets the answer or the error, unless this has gone by then.
    void ask(const QDBusMessage& question, std::function<void(const QDBusMessage& answer)> done);
    /// As soon as it is connected; at once where it is.
    void whenConnected(std::function<void(QDBusConnection&)> act);

private:
    struct Question {
        QDBusMessage message;
        std::function<void(const QDBusMessage&)> done;
    };

    void connectSoon();
    void take(bool isConnected, const QString& problem);
    void send(const Question& question);

    const QString address_;
    const QString what_;
    const QString name_;
    bool isConnecting_ = false;
    bool isBroken_ = false;
    std::optional<QDBusConnection> bus_;
    std::vector<Question> waiting_;
    std::vector<std::function<void(QDBusConnection&)>> later_;
};

}  // namespace lowtide::ui
