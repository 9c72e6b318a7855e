#pragma once

#include "tests/journey/studio/studio_session.hpp"
#include "ui/panels/image_view.hpp"

#include <QtWidgets>

namespace lowtide::testing {

/// A user with a mouse alone, whose clicks are counted. Widgets must be seen; what is not there
/// throws.
class Clicks {
public:
    explicit Clicks(StudioSession& studio) : studio_(studio) {}

    void on(QWidget& widget);
    /// The button of an action in the tool bar.
    void onTool(const char* action);
    /// "Run", then the action in that menu.
    void onMenu(const char* menu, const char* action);
    /// A tab above the middle of the window.
    void onTab(const QString& title);
    void onRow(QAbstractItemView& view, const QModelIndex& row);
    /// Two clicks.
    void twiceOnRow(QAbstractItemView& view, const QModelIndex& row);
    /// Opens the list and takes the line that has `text` in it.
    void choose(QComboBox& box, const QString& text);
    /// Opens the menu by the arrow and takes the entry that has `text` in it.
    void chooseInMenu(QToolButton& button, const QString& text);
    /// The middle of a node's title.
    void onNode(const char* node);
    /// The right button on the name of a parameter in the inspector.
    void onParam(const char* param);
    /// An entry of the menu that pops up.
    void inPopup(const char* menu, const char* action);
    /// A file that is dragged over the widget and let go there is one.
    void drop(QWidget& widget, const QString& file, const QPoint& point);
    /// A stroke over an image, in its pixels, is one press.
    void stroke(ui::ImageView& view, const QPointF& from, const QPointF& to);
    /// On that widget of the dialog that opens next; call it before the click that opens it.
    void inNextDialog(const char* dialog, const char* widget);

    [[nodiscard]] int count() const { return count_; }

    void begin() { count_ = 0; }

private:
    /// Until it can be clicked.
    static void awaitReady(QWidget& widget);
    void at(QWidget& widget, const QPoint& point);

    StudioSession& studio_;
    int count_ = 0;
};

}  // namespace lowtide::testing
