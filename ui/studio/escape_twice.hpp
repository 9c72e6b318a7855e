#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace lowtide::ui {

/// Hears Esc pressed twice within a moment, anywhere in a window, where nobody else had a use for
/// it: one that closes a list, a field or a dialog does not count.
class EscapeTwice : public QObject {
    Q_OBJECT

public:
    explicit EscapeTwice(QObject* parent = nullptr);

Q_SIGNALS:
    void pressed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void count();

    QElapsedTimer since_;
};

}  // namespace lowtide::ui
