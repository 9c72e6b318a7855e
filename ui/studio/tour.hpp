#pragma once

#include <QFrame>
#include <QPointer>
#include <QRect>
#include <QString>

#include <functional>
#include <vector>

class QLabel;
class QPushButton;

namespace lowtide::ui {

class MainWindowWidgets;

/// Where a callout of that size stands in a window: next to what it names, over it only where it
/// fits nowhere else, and always inside.
[[nodiscard]] QRect calloutRect(const QRect& window, const QRect& target, const QSize& size);

/// A walk of one minute through the window: a callout names one thing after the other, next to it.
/// The window can be used meanwhile. It deletes itself when the user leaves it, by its button, by
/// Escape, or at its end.
class Tour : public QFrame {
    Q_OBJECT

public:
    /// A child of the window, at its first stop. `widgets` must outlive it.
    explicit Tour(MainWindowWidgets& widgets);
    ~Tour() override;

    /// From 0.
    [[nodiscard]] size_t stop() const { return stop_; }

    /// Of all stops.
    [[nodiscard]] size_t count() const { return stops_.size(); }

    void next();
    void back();
    void end();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool isNext) override;

private:
    struct Stop {
        QString title;
        QString text;
        std::function<QRect()> where;        ///< in the window
        std::function<void()> show = [] {};  ///< brings it into sight
    };

    void build();
    void addStops(MainWindowWidgets& widgets);
    void enter(size_t stop);
    void reposition();
    [[nodiscard]] QRect rectOf(const QWidget* widget) const;

    QWidget& window_;
    std::vector<Stop> stops_;
    size_t stop_ = 0;
    QPointer<QWidget> frame_;   ///< around what is named
    QPointer<QWidget> before_;  ///< had the focus
    QLabel* title_ = nullptr;
    QLabel* text_ = nullptr;
    QLabel* number_ = nullptr;
    QPushButton* back_ = nullptr;
    QPushButton* next_ = nullptr;
    QPushButton* end_ = nullptr;
};

}  // namespace lowtide::ui
