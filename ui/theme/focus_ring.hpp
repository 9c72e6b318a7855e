#pragma once

#include <QPointer>
#include <QWidget>

namespace lowtide::ui {

/// A ring around the area that is scrolled by keys while it has the focus: Qt paints none there.
/// One for the program; it lies in `home` while there is nothing to show.
class FocusRing : public QWidget {
    Q_OBJECT

public:
    explicit FocusRing(QWidget* home);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void follow(QWidget* focus);

    QPointer<QWidget> home_;
    QPointer<QWidget> area_;
};

}  // namespace lowtide::ui
