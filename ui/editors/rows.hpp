#pragma once
// Parts from which the editors of memory and precision are put together.

#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lowtide {
class Error;
}

class QFormLayout;
class QLabel;
class QLineEdit;
class QVBoxLayout;
class QWidget;

namespace lowtide::ui {

/// A form without margins whose labels all have one width, so that forms under each other align.
[[nodiscard]] QFormLayout* makeForm(QWidget* owner);
void addRow(QFormLayout* form, const QString& label, QWidget* field);

/// A sentence that wraps, in small muted letters; a token colours it otherwise.
[[nodiscard]] QLabel* makeNote(const QString& text, const char* colourToken, QWidget* parent);

/// Greys a widget out with the reason, or gives it back with its usual tooltip.
void setRefused(QWidget& widget, const QString& reason, const QString& tooltip);

/// A part for one component: its name, what is set, and a button that gives it settings of its own
/// or takes them away. `rows` is shown while it has some.
[[nodiscard]] QWidget* makeComponentPart(const QString& role,
                                         const QString& summary,
                                         QWidget* rows,
                                         const std::function<void(bool hasOwn)>& onToggled,
                                         QWidget* parent);

void setSummary(const QWidget& owner, const QString& role, const QString& summary);

/// The field that has the focus and what is being typed there, over a rebuild of the fields around
/// it.
class KeptFocus {
public:
    explicit KeptFocus(const QWidget* body);
    void restoreIn(QWidget& body) const;

private:
    QString component_;
    QString name_;
    std::optional<QString> typed_;
};

struct NodeFacts;
[[nodiscard]] bool areSame(const NodeFacts& one, const NodeFacts& other);
/// The components that are known of the node, else those that its type names.
[[nodiscard]] std::vector<std::string> rolesOf(const NodeFacts& facts);
/// What is wrong and what to do.
[[nodiscard]] QString wordsOf(const Error& error);

}  // namespace lowtide::ui
