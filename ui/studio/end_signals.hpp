#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <array>
#include <optional>

namespace lowtide::ui {

/// SIGTERM, SIGINT and SIGHUP: a session or a terminal wants the program to end. The first one asks
/// for an end in order (layout kept, lock and journal gone, unsaved changes asked for), the second
/// one ends the program at once, as it does without this. One in a program.
class EndSignals : public QObject {
    Q_OBJECT

public:
    explicit EndSignals(QObject* parent = nullptr);
    ~EndSignals() override;

Q_SIGNALS:
    void asked();

private:
    std::array<int, 2> pipe_{-1, -1};
    std::optional<QSocketNotifier> notifier_;
};

}  // namespace lowtide::ui
