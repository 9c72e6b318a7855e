#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/panels/memory_line.hpp"

#include <QString>
#include <QToolButton>

namespace lowtide::ui {

/// One line about memory, in the status bar: what the next run needs, what devices hold, and what
/// is free. A click opens the panel.
class MemoryStrip : public QToolButton {
    Q_OBJECT

public:
    explicit MemoryStrip(QWidget* parent = nullptr);

    void setPlanned(const Planned& planned, const NodeNames& names);
    /// "CPU holds 21.5 MiB, 18.9 GiB are free".
    void setHeld(const QString& held);
    void setBusy(bool isBusy);

    /// It ends in an ellipsis rather than make the window wider.
    [[nodiscard]] QSize minimumSizeHint() const override;

private:
    void showNeed();
    /// The text alone: what devices hold changes several times a second.
    void refresh();

    MemoryLine need_;
    QString held_;
    bool isBusy_ = false;
};

}  // namespace lowtide::ui
