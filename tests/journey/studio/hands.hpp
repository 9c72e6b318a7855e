#pragma once

#include "tests/journey/studio/studio_session.hpp"

class QAbstractItemView;

namespace lowtide::ui {
class ImageView;
}

namespace lowtide::testing {

/// What a user does at the window: real events to widgets that are seen. A test fails where a
/// widget is not there or cannot be seen.
class Hands {
public:
    explicit Hands(StudioSession& studio) : studio_(studio) {}

    /// Presses the keys of an action ("file.save") in the window.
    void press(const char* action);
    /// Clicks the middle of the node's title.
    void clickNode(const std::string& node);
    /// Types into the field `name` of a row of the inspector, and ends with Return or by leaving.
    void typeValue(const char* row, const char* name, const QString& text);
    /// Presses Run and waits for the run's end; the run as it is then.
    [[nodiscard]] ui::QueuedRun run();

    /// A visible widget by name; the window's, or within `root`.
    [[nodiscard]] QWidget& widget(const char* name, QWidget* root = nullptr);

private:
    StudioSession& studio_;
};

/// Selects what stands in a field and types over it.
void retype(QWidget& field, const QString& text);
/// The row of a list with that text, else the first with it inside; invalid: none.
[[nodiscard]] QModelIndex rowNamed(const QAbstractItemView& view, const QString& text);
void doubleClick(QAbstractItemView& view, const QModelIndex& row);
/// One press from pixel to pixel of the image that is shown.
void stroke(ui::ImageView& view, const QPointF& from, const QPointF& to);

}  // namespace lowtide::testing
