#pragma once
// Parts from which the editors of memory and precision are put together.

#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <utility>
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
    int selectedFrom_ = 0;
    int selected_ = 0;  ///< letters; 0: the cursor lies at selectedFrom_
};

/// The line with the text form, and below it the fields of the same value, which are made again
/// when the value is another one. Lies in the layout of `editor`.
class TextAndFields {
public:
    /// `tip` is the tooltip of the line while nothing is wrong with it.
    TextAndFields(QWidget& editor, const QString& accessibleName, const QString& tip);

    [[nodiscard]] QLineEdit& line() const { return *line_; }

    [[nodiscard]] QWidget* fields() const { return fields_; }

    /// Whether fields show a value that could be read.
    [[nodiscard]] bool areUsable() const;
    void rebuild(int spacing, const std::function<void(QVBoxLayout*)>& fill);
    void showText(const std::string& text);
    /// A value that cannot be read is kept in the graph as it is until the user writes another one.
    void showUnreadable(const QString& text, const QString& problem);

private:
    QWidget& editor_;
    QString tip_;
    QLineEdit* line_;
    QWidget* fields_ = nullptr;
};

struct NodeFacts;
/// As rolesOf(), for entries of these roles.
[[nodiscard]] std::vector<std::string> rolesAmong(const NodeFacts& facts,
                                                  std::vector<std::string> named);
[[nodiscard]] bool areSame(const NodeFacts& one, const NodeFacts& other);

/// Roles of the node's components: those that its type names, and of its patterns those that the
/// plan has, or that `entries` are for (of a policy or a precision).
template <class Entries>
[[nodiscard]] std::vector<std::string> rolesOf(const NodeFacts& facts, const Entries& entries) {
    std::vector<std::string> named;
    for (const auto& [role, entry] : entries) {
        named.push_back(role);
    }
    return rolesAmong(facts, std::move(named));
}

/// What is wrong and what to do.
[[nodiscard]] QString wordsOf(const Error& error);

}  // namespace lowtide::ui
