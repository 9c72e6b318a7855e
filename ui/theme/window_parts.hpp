#pragma once

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QList>
#include <QMargins>
#include <QPushButton>
#include <QString>
#include <QToolButton>
#include <QVariant>

#include <initializer_list>
#include <utility>

namespace lowtide::ui {

/// The widget under a name, by which tests, settings and styles find it. (A template: it returns
/// what it was given.)
template <typename Widget>
[[nodiscard]] Widget* named(const QString& name, Widget* widget) {
    widget->setObjectName(name);
    return widget;
}

/// What stands in a row or a column: a widget or a layout with its stretch factor, or space
/// alone. nullptr stands for nothing.
struct Cell {
    // NOLINTNEXTLINE(google-explicit-constructor): a list names widgets and layouts as they are
    Cell(QWidget* item, int factor = 0, Qt::Alignment edge = {})
        : widget(item), stretch(factor), alignment(edge) {}

    // NOLINTNEXTLINE(google-explicit-constructor)
    Cell(QLayout* item, int factor = 0) : layout(item), stretch(factor) {}

    /// Space that takes what is left.
    [[nodiscard]] static Cell spring(int factor = 1) { return {Space{}, 0, factor}; }

    /// Space in steps of the rhythm.
    [[nodiscard]] static Cell gap(int count) { return {Space{}, count, 0}; }

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int stretch = 0;
    Qt::Alignment alignment;
    bool isSpace = false;
    int steps = 0;

private:
    struct Space {};

    Cell(Space, int count, int factor) : stretch(factor), isSpace(true), steps(count) {}
};

using Cells = std::initializer_list<Cell>;

/// Adds them in this order.
void addAll(QBoxLayout& layout, Cells cells);
/// What stands below or next to each other in `part`, up to its edges or with margins. Spacing and
/// margins are in steps of the rhythm. nullptr: to be put into another layout.
QVBoxLayout* columnIn(QWidget* part, int spacing, Cells cells);
QVBoxLayout* columnIn(QWidget* part, int spacing, const QMargins& margins, Cells cells);
QHBoxLayout* rowIn(QWidget* part, int spacing, Cells cells);
QHBoxLayout* rowIn(QWidget* part, int spacing, const QMargins& margins, Cells cells);

[[nodiscard]] inline QHBoxLayout* rowOf(int spacing, Cells cells) {
    return rowIn(nullptr, spacing, cells);
}

/// Gives the widget's text a colour of the theme, also of one that is chosen later.
void setTextColour(QWidget& widget, const char* token);
/// What a resting pointer reads, and what a screen reader calls it.
void setTip(QWidget& widget, const QString& text);

/// Gives the button the colour of accents: it does what the window is there for. One in a window.
void setPrimary(QToolButton& button);

/// A text that breaks into lines. Font and colour are those of the theme; nullptr: of what is
/// around it.
[[nodiscard]] QLabel* makeText(const QString& text,
                               const char* name,
                               QWidget* parent,
                               const char* font = nullptr,
                               const char* colour = nullptr);
/// The name of a field, above it or next to it; nullptr: of no single one.
[[nodiscard]] QLabel* makeFieldLabel(const QString& text, QWidget* field, QWidget* parent);
/// Shows the text; without one the label is hidden.
void showText(QLabel& label, const QString& text);
[[nodiscard]] QPushButton* makeButton(const QString& text, const char* name, QWidget* parent);
/// A flat button with an icon of the theme; `text` is its tip, and what a screen reader reads.
[[nodiscard]] QToolButton* makeIconButton(const char* icon,
                                          const QString& text,
                                          const char* name,
                                          QWidget* parent);
/// A field for words to search for, with a button that clears it.
[[nodiscard]] QLineEdit* makeSearch(const QString& placeholder, const char* name, QWidget* parent);
/// A list of choices that is no wider than so many letters need; `tip` is also its name.
[[nodiscard]] QComboBox* makeChooser(const QString& tip,
                                     const char* name,
                                     int letters,
                                     QWidget* parent);
/// Renews the entries behind the first, text and value; the choice is kept where it is still there.
void refill(QComboBox& box, const QList<std::pair<QString, QVariant>>& entries);

}  // namespace lowtide::ui
