#pragma once

#include <functional>

class QLineEdit;
class QPlainTextEdit;
class QSpinBox;
class QString;
class QWidget;

namespace lowtide::ui {

/// The text field at work, the one of the program that a user types into. What stands in it
/// becomes the value when the field is left, and before anything that uses the value: a run,
/// saving, closing, another selection. A program may have several graphs: what is asked with a
/// widget `within` concerns the fields in it alone, without one all of the program.
class EditSession {
public:
    /// `commit` takes what stands in the field, as often as it is asked; false: it cannot be read
    /// and is left there with its mark. Return in a line and leaving the field commit too, and call
    /// `left` after that. A menu or another window in front of the field does not leave it.
    static void watch(QWidget& field,
                      std::function<bool()> commit,
                      std::function<void()> left = {});
    /// Commits the field at work, if there is one. False: there, or in a field that was left
    /// before, stands what cannot be read.
    static bool commit(const QWidget* within = nullptr);
    /// A field of which commit() was false; null: none.
    [[nodiscard]] static QWidget* refusedField(const QWidget* within = nullptr);
    /// Fields in `part`, which is about to go, never commit again.
    static void forgetIn(const QWidget& part);

    /// Shows a value that came from elsewhere: a feed, the graph, another field. What a user
    /// types, or has typed and could not be read, is kept. Who shows values in a field that can be
    /// typed into calls this.
    static void showUnlessTyped(QLineEdit& field, const QString& text);
    static void showUnlessTyped(QPlainTextEdit& field, const QString& text);
    static void showUnlessTyped(QSpinBox& field, int value);
};

}  // namespace lowtide::ui
