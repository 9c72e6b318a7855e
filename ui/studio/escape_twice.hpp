#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace lowtide::ui {

/// Hears Esc pressed twice within a moment, anywhere in a window, without taking it from anybody.
class EscapeTwice : public QObject {
    Q_OBJECT

public:
    explicit EscapeTwice(QObject* parent = nullptr);

Q_SIGNALS:
    void pressed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QElapsedTimer since_;
};

}  // namespace lowtide::ui
